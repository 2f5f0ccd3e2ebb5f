"""How good answers are, as figures: readers are asked questions, and what they write is measured.

1. ``cases``     a question with what would be right, and what a reader gave;
2. ``text``      an answer beside its references, by its words;
3. ``meaning``   the same by vectors of the local embedding model;
4. ``judged``    what a language model says of it, and ``verdicts`` makes a score of that, which is arithmetic;
5. ``figures``   all figures of one answer;
6. ``asked``     readers are asked the questions;
7. ``report``    means with intervals, differences between readers, and what was refused;
8. ``files``     questions as files, and ``testset`` has a language model write some;
9. ``ratings``   what experts say of answers;
10. ``readers``  those of this server, and ``evaluate`` puts all together, for the command.
"""
