//! Python functions as players.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::PyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use ruse::family::Decide;

use crate::refusal::refused;

/// A Python function that decides by numbers. After its first mistake it is not called again.
pub(crate) struct Function {
    function: Py<PyAny>,
    /// Is held during a call: the function may be a model with a state, which one thread at a time may use.
    call: Mutex<()>,
    mistake: Mutex<Option<PyErr>>,
}

impl Function {
    pub(crate) fn new(function: Py<PyAny>) -> Function {
        Function { function, call: Mutex::new(()), mistake: Mutex::new(None) }
    }

    fn mistake(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.mistake.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the first mistake, if any: an exception, or the number of an action that was not legal.
    pub(crate) fn check(&self, py: Python<'_>) -> PyResult<()> {
        self.mistake().as_ref().map_or(Ok(()), |mistake| Err(mistake.clone_ref(py)))
    }

    fn call(&self, py: Python<'_>, observation: &[f32], mask: &[i8]) -> PyResult<usize> {
        let legal: Vec<bool> = mask.iter().map(|&mark| mark != 0).collect();
        let arrays = (PyArray1::from_slice(py, observation), PyArray1::from_slice(py, &legal));
        let returned = self.function.call1(py, arrays).inspect_err(|mistake| {
            // Python 3.10 has no notes, and shows the exception alone.
            let usage =
                "ruse calls the function with an observation and a mask of the legal actions";
            let _ = mistake.value(py).call_method1("add_note", (usage,));
        })?;
        let number: i64 = returned.extract(py).map_err(|_| {
            let found =
                returned.bind(py).repr().map_or_else(|_| "?".into(), |found| found.to_string());
            PyTypeError::new_err(format!(
                "the function must return the number of an action, and returned {found}"
            ))
        })?;
        let found = usize::try_from(number).ok().filter(|&index| legal.get(index) == Some(&true));
        found.ok_or_else(|| {
            refused(format!(
                "the function decided for action {number}, which is not legal: its mask is 0"
            ))
        })
    }
}

/// Returns the first mistake of these functions, if any.
pub(crate) fn check_all(functions: &[Arc<Function>], py: Python<'_>) -> PyResult<()> {
    functions.iter().try_for_each(|function| function.check(py))
}

impl Decide for Function {
    fn decide(&self, observation: &[f32], mask: &[i8]) -> Option<usize> {
        // The other order could deadlock: a call may let go of the interpreter.
        let _call = self.call.lock().unwrap_or_else(PoisonError::into_inner);
        Python::attach(|py| {
            if self.mistake().is_some() {
                return None;
            }
            match self.call(py, observation, mask) {
                Ok(number) => Some(number),
                Err(mistake) => {
                    self.mistake().get_or_insert(mistake);
                    None
                }
            }
        })
    }
}
