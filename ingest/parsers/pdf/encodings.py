"""Encodings of TeX's bitmap fonts and old Type 1 fonts, for PDFs without a mapping.

Source: the LaTeX font encodings guide (encguide.pdf), tables of OT1, OML, OMS, T1 and T2A; The TeXbook, appendix F,
for OMX.
"""

from enum import StrEnum


class Encoding(StrEnum):
    """An encoding of TeX's fonts; ``OMX`` holds big brackets and operators, ``T2A`` Cyrillic letters."""

    OT1 = "OT1"
    T1 = "T1"
    T2A = "T2A"
    OML = "OML"
    OMS = "OMS"
    OMX = "OMX"


def _codes(first: int, characters: str) -> dict[int, str]:
    """Return the blank-separated characters by their codes from ``first`` on; ``_`` skips a code."""
    return {first + number: text for number, text in enumerate(characters.split()) if text != "_"}


LIGATURES_OF_OT1 = _codes(0x0B, "ff fi fl ffi ffl")
LIGATURES_OF_T1 = _codes(0x1B, "ff fi fl ffi ffl")
OT1 = {
    **_codes(0x00, "Γ Δ Θ Λ Ξ Π Σ Υ Φ Ψ Ω"),
    **LIGATURES_OF_OT1,
    **_codes(0x10, "ı j ` ´ ˇ ˘ ¯ ˚ ¸ ß æ œ ø Æ Œ Ø"),
    0x22: "”", 0x27: "’", 0x3C: "¡", 0x3E: "¿", 0x5C: "“", 0x5F: "˙", 0x60: "‘",
    0x7B: "–", 0x7C: "—", 0x7D: "˝", 0x7E: "˜", 0x7F: "¨",
}  # fmt: skip
T1 = {
    **_codes(0x00, "` ´ ˆ ˜ ¨ ˝ ˚ ˇ ˘ ¯ ˙ ¸ ˛ ‚ ‹ › “ ” „ « » – — _ _ ı j"),
    **LIGATURES_OF_T1,
    0x27: "’", 0x60: "‘", 0x7F: "-",
    **_codes(0x80, "Ă Ą Ć Č Ď Ě Ę Ğ Ĺ Ľ Ł Ń Ň Ŋ Ő Ŕ Ř Ś Š Ş Ť Ţ Ű Ů Ÿ Ź Ž Ż Ĳ İ đ §"),
    **_codes(0xA0, "ă ą ć č ď ě ę ğ ĺ ľ ł ń ň ŋ ő ŕ ř ś š ş ť ţ ű ů ÿ ź ž ż ĳ ¡ ¿ £"),
    **{code: chr(code) for code in range(0xC0, 0x100)},
    0xD7: "Œ", 0xDF: "SS", 0xF7: "œ", 0xFF: "ß",
}  # fmt: skip
T2A = {
    **T1,
    **{code: chr(0x0410 + code - 0xC0) for code in range(0xC0, 0x100)},
    0x9C: "Ё", 0xBC: "ё", 0x9D: "№", 0x9E: "¤", 0x9F: "§", 0xBD: "„", 0xBE: "«", 0xBF: "»",
}  # fmt: skip
OML = {
    **_codes(0x00, "Γ Δ Θ Λ Ξ Π Σ Υ Φ Ψ Ω α β γ δ ϵ ζ η θ ι κ λ μ ν ξ π ρ σ τ υ ϕ χ ψ ω ε ϑ ϖ ϱ ς φ"),
    0x3A: ".", 0x3B: ",", 0x3C: "<", 0x3D: "/", 0x3E: ">", 0x3F: "⋆", 0x40: "∂",
    0x5B: "♭", 0x5C: "♮", 0x5D: "♯", 0x60: "ℓ", 0x7B: "ı", 0x7C: "j", 0x7D: "℘",
}  # fmt: skip
OMS = {
    **_codes(0x00, "− · × ∗ ÷ ⋄ ± ∓ ⊕ ⊖ ⊗ ⊘ ⊙ ◯ ◦ • ≍ ≡ ⊆ ⊇ ≤ ≥ ⪯ ⪰ ∼ ≈ ⊂ ⊃ ≪ ≫ ≺ ≻"),
    **_codes(0x20, "← → ↑ ↓ ↔ ↗ ↘ ≃ ⇐ ⇒ ⇑ ⇓ ⇔ ↖ ↙ ∝ ′ ∞ ∈ ∋ △ ▽ _ _ ∀ ∃ ¬ ∅ ℜ ℑ ⊤ ⊥ ℵ"),
    **_codes(0x5B, "∪ ∩ ⊎ ∧ ∨ ⊢ ⊣ ⌊ ⌋ ⌈ ⌉ { } ⟨ ⟩ | ∥ ↕ ⇕ \\ ≀ √ ⨿ ∇ ∫ ⊔ ⊓ ⊑ ⊒ § † ‡ ¶ ♣ ♢ ♡ ♠"),
}
OMX = {
    **_codes(0x00, "( ) [ ] ⌊ ⌋ ⌈ ⌉ { } ⟨ ⟩ | ∥ / \\ ( ) ( ) [ ] ⌊ ⌋ ⌈ ⌉ { } ⟨ ⟩ / \\"),
    **_codes(0x20, "( ) [ ] ⌊ ⌋ ⌈ ⌉ { } ⟨ ⟩ / \\ / \\"),
    **_codes(0x44, "⟨ ⟩ ⊔ ⊔ ∮ ∮ ⊙ ⊙ ⊕ ⊕ ⊗ ⊗ ∑ ∏ ∫ ⋃ ⋂ ⊎ ⋀ ⋁ ∑ ∏ ∫ ⋃ ⋂ ⊎ ⋀ ⋁ ∐ ∐"),
    **_codes(0x68, "[ ] ⌊ ⌋ ⌈ ⌉ { } √ √ √ √"),
}
TABLES = {
    Encoding.OT1: OT1, Encoding.T1: T1, Encoding.T2A: T2A, Encoding.OML: OML, Encoding.OMS: OMS, Encoding.OMX: OMX,
}  # fmt: skip

DINGBATS = (
    "✁✂✄☎✆✝✞✟✠✡☛☞✌✍✎✏✑✒✓✔✕✖✗✘✙✚✛✜✢✣✤✥✦✧★✩✪✫✬✭✮✯✰✱✲✳✴✵✶✷✸✹✺✻✼✽✾✿❀❁❂❃❄❅❆❇❈❉❊❋●❍■❏❑▲▼◆❖ ◗❘❙❚❯❱❲❳❨❩❬❭❪❫❴❵"
    "❛❜❝❞❡❢❣❤✐❥❦❧♠♥♦♣    ✉✈✇①②③④⑤⑥⑦⑧⑨⑩❶❷❸❹❺❻❼❽❾❿➀➁➂➃➄➅➆➇➈➉➊➋➌➍➎➏➐➑➒➓➔→➣↔↕➙➛➜➝➞➟➠➡➢➤➥➦➧➨➩➫➭➯➲➳➵➸➺➻➼➽➾➚➪➶➹➘➴➷➬➮➱✃❐❒❮❰"
)
"""The signs of Zapf's dingbats by their glyph names, ``a1`` first.

Some programs name the letters of a TeX font after their codes, ``a97`` for "a"; readers take these for dingbats.
"""

CODE_OF_DINGBAT = {
    sign: number
    for number, sign in sorted(enumerate(DINGBATS, start=1), key=lambda entry: chr(entry[0]).isalpha())
    if sign != " " and not "\u2190" <= sign <= "\u21ff"
}
"""Codes by name of sign; a letter's name takes precedence."""


def decode(code: int, encoding: Encoding) -> str:
    """Return the characters of a code; empty for unknown codes and for pieces of a larger sign."""
    if found := TABLES[encoding].get(code):
        return found
    if encoding is Encoding.OMX or not 0x20 < code < 0x7F:
        return ""
    return chr(code)
