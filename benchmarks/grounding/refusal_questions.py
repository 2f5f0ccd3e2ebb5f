"""Questions for :mod:`benchmarks.grounding.refusal`, on vignettes of R packages as Debian distributes them.

All of them were seen while the rule on rare nouns was chosen.
"""

from collections.abc import Sequence

PAPERS = (
    "R_kernlab__kernlab", "R_sandwich__sandwich", "R_zoo__zoo", "R_vcd__strucplot", "R_multcomp__generalsiminf",
    "R_party__party", "R_pscl__countreg", "R_msm__msm-manual", "R_surveillance__surveillance",
    "R_surveillance__twinstim", "R_quantreg__rq", "R_sp__intro_sp", "R_gstat__gstat", "R_flexmix__flexmix-intro",
    "R_lme4__lmer", "R_mvtnorm__MVT_Rnews", "R_coin__coin", "R_systemfit__systemfit", "R_tm__tm",
    "R_vegan__intro-vegan", "R_e1071__svmdoc", "R_robustbase__lmrob_simulation", "R_Rcpp__Rcpp-introduction",
    "R_DESeq2__vst",
)  # fmt: skip
"""Files without their ending; the folder is ``PAPERGRAPH_PDFS``."""

ANSWERABLE: Sequence[tuple[str, ...]] = (
    # the question, words of the paper's file, parts of the text
    ("Which object model of R does kernlab take advantage of?", "kernlab", "S4"),
    ("Which functions of sandwich implement general classes of HC and HAC estimators?", "sandwich", "vcovHAC"),
    ("Which subclass embeds regular time series into the zoo framework?", "zoo", "zooreg"),
    ("What does an association plot visualize?", "strucplot", "standardized deviations"),
    (
        "Which multiple comparison procedures are examples for controlling the overall type I error?",
        "generalsiminf",
        "Dunnett",
    ),
    ("What are the two fundamental problems of exhaustive search in recursive partitioning?", "party", "overfitting"),
    ("Which components do hurdle models combine?", "countreg", "left-truncated count component"),
    (
        "What distribution does the sojourn time have in a time-homogeneous Markov model?",
        "msm",
        "exponential distribution",
    ),
    (
        "Which outbreak detection system of Germany is implemented in the surveillance package?",
        "surveillance",
        "Robert Koch",
    ),
    (
        "Which kernel performed better for the spread of human infectious diseases on larger scales?",
        "twinstim",
        "power-law",
    ),
    ("Who sought computational advice in London about median regression?", "rq", "Boscovich"),
    ("What was the motivation to write the sp package?", "intro_sp", "uniform interface"),
    ("How many heavy metals were measured in the top soil along the river Meuse?", "gstat", "four heavy"),
    ("Who supplies the M-step in FlexMix?", "flexmix", "user"),
    ("What is the main advantage of nlme relative to lme4?", "lmer", "structure in the residuals"),
    ("How many simulation runs are usually sufficient for the Monte Carlo error bound?", "MVT", "10 simulation"),
    ("Which framework is the theoretical basis of the permutation tests in coin?", "coin", "Strasser and Weber"),
    (
        "What does ignoring the contemporaneous correlation of the disturbance terms lead to?",
        "systemfit",
        "inefficient",
    ),
    ("What is a volatile corpus in tm?", "tm", "held fully in memory"),
    ("How is multi-class classification done by libsvm?", "svmdoc", "one-against-one"),
)
NEAR_MISSES: Sequence[str] = (
    "How does kernlab train convolutional neural networks on images?",
    "How long does vcovHAC take on a graphics card?",
    "How are zoo series stored in a PostgreSQL database?",
    "Which mosaic plot shows the passengers of the Lusitania?",
    "What dose of aspirin is compared by Dunnett's procedure?",
    "How many gigabytes of memory does ctree need for genome data?",
    "Which hurdle model was fitted to the number of bicycle accidents?",
    "What is the transition intensity from asthma to pneumonia?",
    "Which outbreak of cholera was detected by the surveillance package?",
    "How many cases of tuberculosis does the twinstim model simulate for Brazil?",
    "What quantile regression did Koenker fit to house prices in Chicago?",
    "How does the sp package read satellite images from Sentinel?",
    "What kriging variance does the uranium concentration of the meuse data have?",
    "How does FlexMix cluster the songs of birds?",
    "How are the random effects of lme4 computed on a Hadoop cluster?",
    "Which Fortran compiler does mvtnorm require on Windows?",
    "How were the permutation tests of coin parallelized with OpenMP?",
    "Which systems of equations does systemfit estimate for the Norwegian salmon market?",
    "How does tm translate a corpus from Japanese to English?",
    "What accuracy does svm() reach on the handwritten digits of MNIST?",
)
UNRELATED: Sequence[str] = (
    "Which yeast bakes the fluffiest brioche?",
    "Who won the football world cup of 1954?",
    "How do I change the oil of a motorcycle?",
    "What is the capital of Mongolia?",
    "How long should a cat sleep every day?",
    "Which symphony did Beethoven dedicate to Napoleon?",
    "What are the visa requirements for a journey to Bhutan?",
    "How is mozzarella made from buffalo milk?",
    "When was the Berlin Wall torn down?",
    "Which vitamins does a banana contain?",
    "How tall is the Eiffel Tower?",
    "What causes thunder during a storm?",
    "Who painted the ceiling of the Sistine Chapel?",
    "How many moons does Jupiter have?",
    "Which knots do sailors use to tie a boat to a dock?",
    "How do penguins keep their eggs warm?",
    "What is the plot of Hamlet?",
    "How do you prune an apple tree in winter?",
    "Which treaty ended the Thirty Years' War?",
    "How does a microwave oven heat soup?",
)
