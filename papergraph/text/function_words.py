"""English words of closed classes: they say how the words of a subject belong together, and name nothing themselves.

Source: the closed word classes of Quirk et al. 1985, A Comprehensive Grammar of the English Language.
"""

from papergraph.text.words import words_in

FUNCTION_WORDS = frozenset(
    words_in(
        "a an the this that these those such same "  # determiners
        "all any both each either neither enough every few fewer fewest half less least little lot lots many more most "
        "much multiple no none numerous only other others another own plenty several some various "
        "one two three four five six seven eight nine ten first second third last next "
        "i me my mine myself you your yours yourself he him his himself she her hers herself it its itself we us our "
        "ours ourselves they them their theirs themselves "
        "anybody anyone anything everybody everyone everything nobody nothing somebody someone something "
        "who whom whose which what when where why how whether whatever whenever wherever whichever whoever however "
        "am is are was were be been being do does did done doing have has had having "
        "can cannot could may might must ought shall should will would "
        "about above across after against along alongside among amongst amid around as at before behind below beneath "
        "beside besides between beyond by concerning considering despite down during except excluding following for "
        "from in including inside into like near of off on onto out outside over past per regarding round since than "
        "through throughout till to toward towards under underneath unlike until up upon versus via vs with within "
        "without worth "
        "and but or nor so yet if unless although though because while whereas once "
        "not never ever always often sometimes usually rarely seldom also again already almost even just rather quite "
        "really still then thus hence therefore there here now today too very well further instead together apart "
        "away back else maybe perhaps please "
        "big deep far fast good great hard high large long low new old quick short slow small soon wide"
    )
)
"""Words in small letters: determiners, pronouns, prepositions, conjunctions, auxiliary verbs, small numbers and common
adverbs; besides the adjectives of size and degree that "how" asks with."""
