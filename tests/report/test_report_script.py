"""The script of the page: modules joined by their imports, refused where that would change them; types that hold."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from biasvar_cli.drawing.style import THEMES
from biasvar_cli.page.script import TEMPLATES, colour_variables, joined, page_script
from biasvar_cli.tables.layout import LATEX_SIGNS
from biasvar_cli.words import COEFFICIENT_TITLES

MODULES = TEMPLATES / "script"
USES_B = 'import { b } from "./b.js";\n'
B = "export const b = 1;\n"


def _compiler(root):
    installed = root / ".typescript" / "node_modules" / ".bin" / "tsc"
    return installed if installed.is_file() else shutil.which("tsc")


def _run(text):
    """What a script prints."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    return subprocess.run(["node", "-"], input=text, capture_output=True, text=True, check=True).stdout


def test_modules_come_behind_those_that_they_import():
    main = 'import { a } from "./a.js";\nimport { b } from "./b.js";\nconsole.log(a, b);\n'
    text = joined({"main.js": main, "a.js": USES_B + "export const a = b + 1;\n", "b.js": B}, "main.js")
    assert text.splitlines()[2:-1] == ["const b = 1;", "const a = b + 1;", "console.log(a, b);"]


def test_everything_that_can_be_exported_is_there():
    text = joined(
        {
            "main.js": "import {\n  one, two, Three, four,\n  six,\n} from './b.js';\n".replace("'", '"')
            + "four().then((each) => console.log(one, two(), new Three().of, each, six));\n",
            "b.js": "export const one = 1;\nexport function two() { return 2; }\nexport class Three { of = 3; }\n"
            'export async function four() { return 4; }\nconst five = { a: "6" };\nexport const { a: six } = five;\n',
        },
        "main.js",
    )
    assert _run(text) == "1 2 3 4 6\n"


def test_comments_that_fill_their_lines_are_left_out():
    kept = ["const a = 1;  // kept", 'const b = "/* kept */";']
    source = "// @ts-check\n/* What\n   it is. */\n\n  /** @type {number} */\n" + "\n".join(kept) + "\n"
    assert joined({"main.js": source}, "main.js").splitlines()[2:-1] == kept


@pytest.mark.parametrize(
    ("main", "others", "why"),
    [
        (USES_B, {"b.js": "const b = 1;\n"}, "main.js imports b, which b.js does not export"),
        (USES_B, {}, "main.js imports b.js, which is not there"),
        (USES_B + "const c = 1;\n", {"b.js": B + "const c = 2;\n"}, "main.js and b.js both declare c"),
        (USES_B + "function c() {}\n", {"b.js": B + "const { d: c } = b;\n"}, "both declare c"),
        (USES_B, {"b.js": 'import { a } from "./main.js";\n' + B}, "main.js imports b.js imports main.js"),
        ("const a = 1;\n", {"b.js": B}, "nothing imports b.js"),
        ('import b from "./b.js";\n', {"b.js": B}, "main.js: 'import b from \"./b.js\";' cannot be joined"),
        ('import { a as b } from "./b.js";\n', {"b.js": B}, "main.js imports a as b, which b.js does not export"),
        ('import { b } from "../b.js";\n', {"b.js": B}, "cannot be joined"),
        ("const a = 1;\nexport { a };\n", {}, "cannot be joined"),
        ("export default 1;\n", {}, "cannot be joined"),
        ("const a = '</script>';\n", {}, "'</script' cannot be joined"),
        ("const a = '<!--';\n", {}, "'<!--' cannot be joined"),
    ],
)
def test_what_cannot_be_joined_is_refused(main, others, why):
    with pytest.raises(ValueError, match=re.escape(why)):
        joined({"main.js": main, **others}, "main.js")


def test_the_modules_of_the_page_are_short_and_checked():
    paths = sorted(MODULES.glob("*.js"))
    assert len(paths) > 10
    for path in paths:
        lines = path.read_text("utf-8").splitlines()
        assert lines[0] == "// @ts-check", path.name
        assert len(lines) < 200, path.name
    code = page_script()
    assert not re.search(r"(?m)^\s*(?:import|export|/\*\*)", code)


def test_colours_titles_and_rules_come_from_python():
    code = page_script()
    assert not re.search(r"#(?:[0-9a-fA-F]{3}){1,2}\b", code)
    assert not [title for title in COEFFICIENT_TITLES.values() if title in code]
    assert not [text for text in LATEX_SIGNS.values() if len(text) > 2 and text in code]
    assert "1e-12" not in code
    variables = colour_variables()
    for theme in THEMES.values():
        assert all(f": {colour};" in variables for colour in (theme.text, theme.below, *theme.series))
        assert f"--ramp: {' '.join(theme.ramp)};" in variables


def test_the_types_of_the_modules_hold(pytestconfig):
    compiler = _compiler(pytestconfig.rootpath)
    if compiler is None or shutil.which("node") is None:
        pytest.skip("TypeScript is not installed (make types-js)")
    done = subprocess.run([compiler, "-p", MODULES / "jsconfig.json"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
