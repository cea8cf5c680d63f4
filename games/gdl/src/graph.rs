//! Directed graphs: strongly connected components, shortest paths, and the nodes that can be reached.

/// A graph in compressed rows: the successors of a node are `targets[starts[n]..starts[n + 1]]`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Graph {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// Creates a graph with `num_nodes` nodes and these edges. The edges of each node keep their order.
    pub(crate) fn new(num_nodes: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0_u32; num_nodes + 2];
        for (from, _) in edges.clone() {
            starts[from as usize + 2] += 1;
        }
        for index in 2..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut targets = vec![0; starts[num_nodes + 1] as usize];
        for (from, to) in edges {
            let at = &mut starts[from as usize + 1];
            targets[*at as usize] = to;
            *at += 1;
        }
        starts.pop();
        Self { starts, targets }
    }

    pub(crate) fn num_nodes(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn successors(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// Returns a shortest path of at least one edge, as the list of its nodes including both ends.
    pub(crate) fn path(&self, from: u32, to: u32) -> Option<Vec<u32>> {
        const NONE: u32 = u32::MAX;
        let mut before = vec![NONE; self.num_nodes()];
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for &next in self.successors(node) {
                if next == to {
                    let mut path = vec![to, node];
                    let mut node = node;
                    while node != from {
                        node = before[node as usize];
                        path.push(node);
                    }
                    path.reverse();
                    return Some(path);
                }
                if next != from && before[next as usize] == NONE {
                    before[next as usize] = node;
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// Returns the nodes of a shortest path without its end, empty if both ends are equal or there is no path.
    pub(crate) fn way(&self, from: u32, to: u32) -> Vec<u32> {
        let mut way = self.path(from, to).filter(|_| from != to).unwrap_or_default();
        way.pop();
        way
    }

    /// Returns whether each node is one of `from` or can be reached from one of them.
    pub(crate) fn reached(&self, from: impl IntoIterator<Item = u32>) -> Vec<bool> {
        let mut reached = vec![false; self.num_nodes()];
        let mut stack: Vec<u32> = from.into_iter().collect();
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut reached[node as usize], true) {
                stack.extend(self.successors(node));
            }
        }
        reached
    }

    /// Returns the strongly connected components (Tarjan 1972, *Depth-first search and linear graph algorithms*),
    /// without recursion. A component comes after all components that its nodes lead to.
    pub(crate) fn components(&self) -> Components {
        const NEW: u32 = u32::MAX;
        let n = self.num_nodes();
        let (mut index, mut low) = (vec![NEW; n], vec![0_u32; n]);
        let mut component_of = vec![NEW; n];
        let mut components = Components { of: Vec::new(), starts: vec![0], nodes: Vec::new() };
        let mut stack = Vec::new();
        // The nodes on the current search path, with the position of their next successor.
        let mut path: Vec<(u32, u32)> = Vec::new();
        let mut count = 0;
        for root in 0..n as u32 {
            if index[root as usize] != NEW {
                continue;
            }
            path.push((root, self.starts[root as usize]));
            while let Some((node, at)) = path.last_mut() {
                let v = *node as usize;
                if index[v] == NEW {
                    index[v] = count;
                    low[v] = count;
                    count += 1;
                    stack.push(*node);
                }
                if *at < self.starts[v + 1] {
                    let w = self.targets[*at as usize];
                    *at += 1;
                    if index[w as usize] == NEW {
                        path.push((w, self.starts[w as usize]));
                    } else if component_of[w as usize] == NEW {
                        low[v] = low[v].min(index[w as usize]);
                    }
                    continue;
                }
                if low[v] == index[v] {
                    let number = components.starts.len() as u32 - 1;
                    while let Some(w) = stack.pop() {
                        component_of[w as usize] = number;
                        components.nodes.push(w);
                        if w as usize == v {
                            break;
                        }
                    }
                    let start = components.starts[number as usize] as usize;
                    components.nodes[start..].sort_unstable();
                    components.starts.push(components.nodes.len() as u32);
                }
                path.pop();
                if let Some((parent, _)) = path.last() {
                    let parent = *parent as usize;
                    low[parent] = low[parent].min(low[v]);
                }
            }
        }
        components.of = component_of;
        components
    }
}

/// The components of a graph, each after the components that it leads to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Components {
    pub(crate) of: Vec<u32>,
    starts: Vec<u32>,
    nodes: Vec<u32>,
}

impl Components {
    pub(crate) fn num(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the nodes of a component, in increasing order.
    pub(crate) fn nodes(&self, component: usize) -> &[u32] {
        &self.nodes[self.starts[component] as usize..self.starts[component + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_after_what_they_lead_to() {
        // 0 -> 1 <-> 2 -> 3, 4 alone with a loop, 5 -> 0.
        let edges = [(0, 1), (1, 2), (2, 1), (2, 3), (4, 4), (5, 0)];
        let components = Graph::new(6, edges.into_iter()).components();
        let all: Vec<&[u32]> = (0..components.num()).map(|c| components.nodes(c)).collect();
        assert_eq!(all, [&[3][..], &[1, 2], &[0], &[4], &[5]]);
        assert_eq!(components.of, [2, 1, 1, 0, 3, 4]);
    }

    #[test]
    fn long_chains_need_no_stack() {
        let n = 300_000;
        let graph = Graph::new(n, (1..n as u32).map(|i| (i - 1, i)));
        assert_eq!(graph.components().num(), n);
        let cycle = Graph::new(n, (0..n as u32).map(|i| (i, (i + 1) % n as u32)));
        assert_eq!(cycle.components().num(), 1);
    }

    #[test]
    fn paths_are_shortest_and_have_an_edge() {
        let graph = Graph::new(4, [(0, 1), (1, 2), (2, 0), (0, 2)].into_iter());
        assert_eq!(graph.path(0, 2), Some(vec![0, 2]));
        assert_eq!(graph.path(1, 1), Some(vec![1, 2, 0, 1]));
        assert_eq!(graph.path(3, 3), None);
    }
}
