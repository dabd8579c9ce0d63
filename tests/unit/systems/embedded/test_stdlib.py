from __future__ import annotations

import sys
from types import ModuleType

import pytest

from ragstone.systems.embedded.stdlib import MODULES, read_stdlib


def test_a_documented_member_is_a_section_under_its_qualified_name():
    """Modules, functions, classes and methods have sections; the text begins with the dotted heading path."""
    [document] = read_stdlib(("json",))
    sections = {section.heading: section.text for section in document.sections}
    assert {("json",), ("json", "dumps"), ("json", "JSONEncoder"), ("json", "JSONEncoder", "default")} <= set(
        sections
    )
    assert all(text.startswith(".".join(heading)) for heading, text in sections.items())


def test_only_what_a_class_documents_itself_is_read():
    """An inherited method, a private one and an undocumented one have no section; an address leaves no trace."""
    code = '''
class Base:
    """The base."""
    def inherited(self):
        """Do it."""
class Child(Base):
    def own(self, value=object()):
        """Do more."""
    def _private(self):
        """Hide."""
    def bare(self): ...
'''
    module = ModuleType("sample_module")
    exec(code, module.__dict__)  # noqa: S102 - the sample above
    sys.modules["sample_module"] = module
    try:
        [document] = read_stdlib(("sample_module",))
    finally:
        del sys.modules["sample_module"]
    texts = {section.heading[1:]: section.text for section in document.sections}
    assert set(texts) == {("Base",), ("Base", "inherited"), ("Child", "own")}
    assert texts["Child", "own"] == "sample_module.Child.own(self, value=<object object>)\n\nDo more."


def test_a_module_that_this_python_lacks_is_left_out():
    """The rest is read."""
    assert [document.name for document in read_stdlib(("surely_not_a_module", "heapq"))] == ["heapq"]


@pytest.mark.parametrize("name", ["json", "collections.abc", "zoneinfo"])
def test_the_list_holds_what_people_ask_about(name):
    """The corpus is a fixed list, each module once."""
    assert MODULES.count(name) == 1
