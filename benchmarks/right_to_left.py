"""Words and their order in right-to-left PDFs: docling's three, and five set by Typst.

Usage: python -m benchmarks.right_to_left FOLDER

FOLDER holds ``right_to_left_01.pdf`` to ``03`` of docling's test data, each with its ``.md`` of the ground truth.
"""

import difflib
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import typst

from benchmarks.common import write_result
from papergraph.ingest.parsers.pdf.reading import read_pdf
from papergraph.ingest.parsers.sandbox import SandboxLimits

WORD = re.compile(r"[\w\u0300-\u036f\u064b-\u065f]+")
NOT_TEXT = re.compile(r"<!--.*?-->|[#*_|`]")
SENTENCE = re.compile(r"(?<=\.) ")
ARABIC = (
    "تدرس هذه الورقة أثر المد والجزر في البحار الصغيرة على نمو الأعشاب البحرية خلال عشر سنوات من القياس "
    "المستمر. جمعنا بيانات من سبع محطات على الساحل الشرقي، وقارنا بين مواسم الصيف والشتاء. تظهر النتائج "
    "أن ارتفاع حرارة المياه يقلل من سرعة النمو، بينما تزيدها وفرة الضوء في المياه الصافية. نقترح نموذجا "
    "بسيطا يفسر معظم الفروق بين المحطات، ونناقش حدوده عندما تكون التيارات قوية. اعتمدنا في التحليل على "
    "طرائق إحصائية معروفة، ثم اختبرنا صحة النموذج على بيانات لم تستخدم في بنائه. وفي الختام نوصي بمتابعة "
    "القياس في أعماق مختلفة، وبنشر البيانات كي يستفيد منها الباحثون في بلدان أخرى. "
).strip()
HEBREW = (
    "מאמר זה בוחן את השפעת הגאות והשפל בימים קטנים על צמיחת עשב הים במשך עשר שנים של מדידה רצופה. אספנו "
    "נתונים משבע תחנות לאורך החוף המזרחי והשווינו בין עונות הקיץ והחורף. התוצאות מראות כי עליית חום המים "
    "מאטה את קצב הצמיחה, ואילו שפע האור במים צלולים מגביר אותו. אנו מציעים מודל פשוט המסביר את רוב "
    "ההבדלים בין התחנות, ודנים במגבלותיו כאשר הזרמים חזקים. בניתוח הסתמכנו על שיטות סטטיסטיות מוכרות, "
    "ולאחר מכן בדקנו את תקפות המודל על נתונים שלא שימשו לבנייתו. לסיכום אנו ממליצים להמשיך במדידה בעומקים "
    "שונים ולפרסם את הנתונים כדי שחוקרים בארצות אחרות יוכלו להיעזר בהם. "
).strip()
PAGES = (
    ("Arabic", "ar", 1, ARABIC),
    ("Arabic, two columns", "ar", 2, ARABIC),
    ("Hebrew", "he", 1, HEBREW),
    ("Hebrew, two columns", "he", 2, HEBREW),
    ("Hebrew with Latin", "he", 1, HEBREW.replace("מודל פשוט", "מודל פשוט בשם SeaGrass")),
)


def main() -> None:
    """Measure and write."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("usage: python -m benchmarks.right_to_left FOLDER, with docling's right_to_left_01.pdf and .md")
    files = {name: score(gold, data) for name, gold, data in (*of_docling(Path(sys.argv[1])), *of_typst())}
    write_result("right_to_left", {"files": files})


def of_docling(folder: Path) -> Iterator[tuple[str, str, bytes]]:
    for path in sorted(folder.glob("right_to_left_*.pdf")):
        yield f"docling {path.stem[-2:]}", path.with_suffix(".md").read_text(), path.read_bytes()


def of_typst() -> Iterator[tuple[str, str, bytes]]:
    """Yield pages with the sentences in order, then again from the last to the first."""
    for name, language, n_columns, text in PAGES:
        again = " ".join(reversed(SENTENCE.split(text)))
        head = f'#set page("a5", columns: {n_columns})\n#set text(font: "DejaVu Sans", size: 9pt, lang: "{language}")\n'
        yield name, f"{text} {again}", bytes(typst.compile(f"{head}{text}\n\n{again}".encode()))


def score(gold: str, data: bytes) -> dict[str, float]:
    """Return the share of the words that are read, and the share of these in order."""
    expected, found = words(gold), words(read_pdf(data, SandboxLimits()).text)
    n_common = (Counter(expected) & Counter(found)).total()
    blocks = difflib.SequenceMatcher(None, expected, found, autojunk=False).get_matching_blocks()
    n_in_order = sum(block.size for block in blocks)
    return {
        "words": len(expected),
        "recall": round(n_common / len(expected), 3),
        "inOrder": round(n_in_order / n_common if n_common else 0.0, 3),
    }


def words(text: str) -> list[str]:
    """Return the words with a letter, of one form for each letter."""
    found = WORD.findall(unicodedata.normalize("NFKC", NOT_TEXT.sub(" ", text)))
    return [word for word in found if any(map(str.isalpha, word))]


if __name__ == "__main__":
    main()
