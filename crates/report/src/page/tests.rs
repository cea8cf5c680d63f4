use std::collections::HashSet;

use super::*;

const AWKWARD: &str = "a<b & \"c\" > 'd'</p>{{ e }}\u{1b}[1m";

/// Checks the page. It is also XML, so an XML parser finds unbalanced tags.
fn check(html: &str) {
    let html = html.strip_prefix("<!DOCTYPE html>\n").expect("it begins with its type");
    let document = roxmltree::Document::parse(html).expect("balanced tags");
    let mut ids = HashSet::new();
    for node in document.descendants() {
        assert!(node.attribute("id").is_none_or(|id| ids.insert(id)), "{node:?}");
        assert!(!["link", "img"].contains(&node.tag_name().name()));
        // An embedded page must be contained as text.
        let is_within = node.attribute("srcdoc").is_some() && node.attribute("src").is_none();
        assert!(!node.has_tag_name("iframe") || is_within, "{node:?}");
        assert!(!node.has_tag_name("script") || node.attributes().len() == 0, "{node:?}");
    }
    // The only script is the program's own. It makes no requests.
    let scripts: Vec<_> =
        document.descendants().filter(|node| node.has_tag_name("script")).collect();
    assert_eq!(scripts.len(), 1);
    let script = scripts[0].text().expect("it is not empty");
    assert_eq!(script.trim(), include_str!("sort.js").trim());
    assert!(
        ["http", "fetch", "import", "innerHTML", "eval"].iter().all(|word| !script.contains(word))
    );
    obeys_its_policy(&document);
    let is_link = |node: &roxmltree::Node<'_, '_>| node.has_tag_name("a");
    for link in document.descendants().filter(is_link) {
        let target = link.attribute("href").and_then(|href| href.strip_prefix('#'));
        assert!(target.is_some_and(|target| ids.contains(target)), "{link:?}");
    }
}

/// Checks that the page's policy, which browsers enforce, allows everything that the page runs or fetches.
fn obeys_its_policy(document: &roxmltree::Document<'_>) {
    let mut metas = document.descendants().filter(|node| node.has_tag_name("meta"));
    let policy = metas.find(|meta| meta.attribute("http-equiv") == Some("Content-Security-Policy"));
    let policy = policy.expect("there is a policy");
    // The policy does not apply to elements before it.
    let before = policy.prev_siblings().skip(1).filter(roxmltree::Node::is_element);
    assert!(before.into_iter().all(|node| node.has_tag_name("meta")));
    let policy = policy.attribute("content").expect("it says something");
    let directives: Vec<Vec<&str>> =
        policy.split(';').map(|directive| directive.split_whitespace().collect()).collect();
    let sources = |name: &str| {
        let found = directives.iter().find(|directive| directive[0] == name);
        found.map(|directive| directive[1..].to_vec()).unwrap_or_default()
    };
    assert_eq!(sources("default-src"), ["'none'"]);
    assert_eq!(sources("style-src"), ["'unsafe-inline'"]);
    assert_eq!(sources("img-src"), ["data:"]);
    assert_eq!(sources("base-uri"), ["'none'"]);
    assert_eq!(sources("form-action"), ["'none'"]);
    for node in document.descendants() {
        if node.has_tag_name("script") {
            let source = policy::source(node.text().unwrap_or_default());
            assert!(sources("script-src").contains(&source.as_str()), "{policy}");
        }
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(!name.starts_with("on"), "{node:?}");
            if ["src", "href", "action", "data", "poster"].contains(&name) {
                assert!(value.starts_with('#') || value.starts_with("data:"), "{node:?}");
            }
            assert!(!value.contains("javascript:"), "{node:?}");
        }
        let is_style = node.has_tag_name("style");
        let styles = node.attribute("style").or(node.text().filter(|_| is_style));
        let styles = styles.unwrap_or_default();
        assert!(["url(", "@import"].iter().all(|word| !styles.contains(word)), "{styles}");
    }
}

fn awkward_page() -> Page {
    let text = || AWKWARD.to_string();
    let table = |is_folded| Table {
        title: text(),
        columns: vec![Column::new(AWKWARD), Column::new("number"), Column::text(AWKWARD)],
        rows: vec![vec![text(), "1".into(), text()]],
        is_folded,
    };
    let tables = vec![table(false), table(true)];
    let strategy = Learned { title: text(), found: text(), words: text(), tables };
    let section = Section {
        title: text(),
        text: vec![text()],
        reports: vec![Markup("<p>markup</p>\n".into())],
        figures: vec![
            Picture::new(AWKWARD, "<svg width=\"1\" height=\"1\">\n<g/>\n</svg>\n")
                .with_narrow(Some("<svg width=\"1\" height=\"2\">\n</svg>\n")),
        ],
        strategies: vec![strategy.clone(), strategy],
        tables: vec![table(true)],
        boards: vec![Board { caption: text(), lines: vec![text(), text()] }],
    };
    Page {
        title: text(),
        findings: vec![text()],
        summary: vec![text()],
        missing: vec![text()],
        sections: vec![section.clone(), section],
        experiment: text(),
        commands: vec![(text(), text())],
        playable: Some(text()),
    }
}

#[test]
fn text_means_itself_wherever_it_is() {
    let html = awkward_page().html();
    check(&html);
    assert!(!html.contains("a<b") && !html.contains("\u{1b}") && !html.contains("\"c\""));
    assert!(html.contains("a&lt;b &amp; &quot;c&quot; &gt; &#x27;d&#x27;&lt;&#x2f;p&gt;{{ e }}"));
    assert!(html.contains("<p>markup</p>"));
    assert_eq!(html, awkward_page().html());
}

#[test]
fn there_is_a_page_of_nothing() {
    let html = Page::default().html();
    check(&html);
    assert!(html.contains("Where the results come from") && !html.contains("DIR"));
    assert!(!html.contains("Not finished"));
}

#[test]
fn wide_figures_have_the_width_of_the_page() {
    let page = |width: u32| {
        let document = format!("<svg width=\"{width}\" height=\"1\"></svg>\n");
        let figures = vec![Picture::new("a picture", &document)];
        let section = Section { figures, ..Section::default() };
        Page { sections: vec![section], ..Page::default() }.html()
    };
    assert!(page(800).contains("<figure class=\"wide\">"));
    assert!(!page(400).contains("<figure class=\"wide\">"));
}

#[test]
fn tables_fold_below_their_titles() {
    let table = |title| {
        format!(
            "<figure class=\"table\">\n<table>\n<caption>{title}</caption>\n</table>\n</figure>\n"
        )
    };
    let folded = Markup(format!("<p>note</p>\n{}\n{}", table("a"), table("b"))).folded(true).0;
    assert_eq!(
        folded,
        "<p>note</p>\n<details open=\"open\">\n<summary>a</summary>\n<figure class=\"table\">\n<table>\n</table>\n\
         </figure>\n</details>\n<details>\n<summary>b</summary>\n<figure class=\"table\">\n<table>\n</table>\n</figure>\n\
         </details>\n"
    );
}

#[test]
fn figures_have_a_form_for_narrow_screens() {
    let html = awkward_page().html();
    assert_eq!(html.matches("<figure class=\" two\">").count(), 2);
    assert_eq!(html.matches("<svg class=\"narrow\" aria-label").count(), 2);
}
