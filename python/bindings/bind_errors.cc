#include <array>

#include "bindings.h"
#include "tilewright/schedule/error.h"
#include "tilewright/support/error.h"
#include "tilewright/support/error_catalogue.h"

namespace tilewright::python {
namespace {

struct ErrorClass {
  const char* name;
  const char* parent;
  const char* doc;
};

constexpr std::array<ErrorClass, 7> kClasses = {{
    {"TilewrightError", "",
     "Base of all errors of Tilewright. `code` is a stable identifier such as 'te.out_of_range'; "
     "the text names the object, the offending value and the legal choices. tw.explain(error) "
     "(or sch.explain(error)) adds what the code means and what to do instead."},
    {"ExpressionError", "TilewrightError",
     "A tensor expression, a program or an operator that cannot be (codes te.*, ir.*, interp.*, "
     "dtype.*, ops.*)."},
    {"ScheduleError", "TilewrightError",
     "A refused schedule primitive (codes schedule.*, stage.*). The schedule is as it was. "
     "`primitive` names the step, `reason` is one sentence, `legal` lists the legal values where "
     "they can be listed, `counter_example` is an iteration that would go wrong and `hint` the "
     "nearest legal step, both maybe empty. sch.explain(error) gives the whole text."},
    {"BuildError", "TilewrightError",
     "A program that cannot be compiled, or a library that cannot be written (codes build.*, "
     "lower.*, "
     "codegen.*, library.*, target.*)."},
    {"CallError", "TilewrightError",
     "Wrong arguments of a compiled function, or a library that cannot be loaded (codes call.*, "
     "ndarray.*, "
     "module.*, ...). No output has been written."},
    {"MismatchError", "TilewrightError",
     "tw.testing found compiled code that computes something else than the program means (codes "
     "testing.mismatch, testing.canary, testing.input). Also an AssertionError."},
    {"InternalError", "TilewrightError",
     "A broken invariant of Tilewright itself: a bug, please report."},
}};

constexpr const char* kModule = "_tilewright";

bool begins(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  for (std::string_view prefix : prefixes) {
    if (text.substr(0, prefix.size()) == prefix) return true;
  }
  return false;
}

const char* class_of(std::string_view code) {
  if (code == "internal") return "InternalError";
  if (begins(code, {"testing.mismatch", "testing.canary", "testing.input"})) return "MismatchError";
  if (begins(code, {"te.", "ir.", "interp.", "dtype.", "ops."})) return "ExpressionError";
  if (begins(code, {"schedule.", "stage."})) return "ScheduleError";
  if (begins(code, {"build.", "lower.", "codegen.", "library.", "target."})) return "BuildError";
  if (begins(code, {"call.", "ndarray.", "module.", "device.", "size.", "time."})) {
    return "CallError";
  }
  return "TilewrightError";
}

void raise(const Error& error) {
  const schedule::ScheduleException* refused =
      dynamic_cast<const schedule::ScheduleException*>(&error);
  const std::string_view name = refused ? "ScheduleError" : class_of(error.code());
  const py::object type = py::module_::import(kModule).attr(std::string(name).c_str());
  const py::object exception = type(error.what());
  exception.attr("code") = error.code();
  if (refused) {
    const schedule::ScheduleError& why = refused->error();
    exception.attr("primitive") = why.primitive;
    exception.attr("reason") = why.reason;
    exception.attr("legal") = why.legal;
    exception.attr("counter_example") = why.counter_example;
    exception.attr("hint") = why.hint;
  } else if (name == "ScheduleError") {
    exception.attr("reason") = error.what();
  }
  PyErr_SetObject(type.ptr(), exception.ptr());
}

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const Error& error) {
    raise(error);
  } catch (const py::cast_error& error) {
    // An object of a wrong type inside a list or a call of ours.
    PyErr_SetString(PyExc_TypeError, error.what());
  }
}

}  // namespace

std::string explain(const py::object& error) {
  const bool is_code = py::isinstance<py::str>(error);
  if (!is_code && !py::hasattr(error, "code")) {
    throw py::type_error(fmt::format("explain: expected an error of Tilewright or its code, got {}",
                                     Py_TYPE(error.ptr())->tp_name));
  }
  const std::string code = py::cast<std::string>(is_code ? error : py::str(error.attr("code")));
  const std::optional<ErrorEntry> entry = find_error(code);
  if (is_code) {
    if (!entry) {
      fail("schedule.unknown_code", "there is no error code '{}'{}", code, suggest_error(code));
    }
    return describe_error(*entry);
  }
  const std::string text = py::cast<std::string>(py::str(error));
  return entry ? text + "\n\n" + describe_error(*entry) : text;
}

void bind_errors(py::module_& m) {
  for (const ErrorClass& row : kClasses) {
    py::dict attributes;
    if (*row.parent == '\0') attributes["code"] = "";
    if (std::string_view(row.name) == "ScheduleError") {
      attributes["primitive"] = "";
      attributes["reason"] = "";
      attributes["legal"] = py::list();
      attributes["counter_example"] = "";
      attributes["hint"] = "";
    }
    py::object parent = *row.parent == '\0' ? py::reinterpret_borrow<py::object>(PyExc_Exception)
                                            : m.attr(row.parent);
    if (std::string_view(row.name) == "MismatchError") {
      parent = py::make_tuple(parent, py::reinterpret_borrow<py::object>(PyExc_AssertionError));
    }
    const std::string name = std::string("_tilewright.") + row.name;
    m.attr(row.name) = py::reinterpret_steal<py::object>(
        PyErr_NewExceptionWithDoc(name.c_str(), row.doc, parent.ptr(), attributes.ptr()));
  }
  py::register_exception_translator(&translate);
  m.def("explain", &explain, py::arg("error"),
        "The whole text of an error, or of a code such as 'te.bad_name': what happened, what the "
        "code means, what to do instead and, for some, an example.");
  m.def("error_codes", &error_codes, "Every error code, sorted.");
}

}  // namespace tilewright::python
