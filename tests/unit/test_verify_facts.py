"""Classes of facts that a claim may change: each quoted sentence with claims that it supports and does not."""

import pytest

from papergraph.evaluation.answers.verifier_evaluation import source_of
from papergraph.server.answers.claims import Claim, Mark
from papergraph.server.answers.verify import Verifier

SUPPORTED = (
    ("In 2009, bees visited the meadow of the village.", "In the meadow of the village, bees visited in 2009."),
    ("Students use the platform to run experiments.", "The platform is used to run experiments by students."),
    ("The tool that we present computes isotherms.", "The tool computes isotherms."),
    ("Kernels can be compiled ahead of time and cached.", "Kernels can be cached if they are compiled ahead of time."),
    ("The drug lowers the risk of stroke and of death.", "The drug lowers the risk of death and stroke."),
    ("Pollen was collected from bees, wasps and moths.", "Pollen was collected from bees and moths."),
    ("The tool is an open source simulator of kernels.", "The tool is an open-source simulator of kernels."),
    ("To compare the methods, we measured their errors.", "The methods were compared by their errors."),
    ("A questionnaire was used for the measurement of sleep.", "A questionnaire was used to measure sleep."),
    ("The pill has been sold in pharmacies from 2009 on.", "The pill has been sold in pharmacies since 2009."),
    (
        "Growth was slow, since nutrients were rare in the lake.",
        "Growth was slow because nutrients were rare in the lake.",
    ),
    ("The device (a small sensor) is worn on the thigh.", "The device is worn on the thigh (a small sensor)."),
    ("Only one of the two rooms was heated in winter.", "In winter only one of the two rooms was heated."),
    ("Patients slept between 3 and 5 hours per night in the trial.", "Patients slept 3 to 5 hours per night."),
    ("Patients slept between 3 and 5 hours per night in the trial.", "Patients slept 3–5 hours per night."),
    ("Patients slept 3-5 hours per night in the trial.", "Patients slept between three and five hours per night."),
    ("The dose ranged from 10 to 20 mg per day.", "The dose was 10-20 mg per day."),
    ("In the survey 25% of the participants smoked.", "In the survey a quarter of the participants smoked."),
    ("In the survey one quarter of the participants smoked.", "In the survey 25 % of the participants smoked."),
    ("In the survey 10% of the participants smoked.", "In the survey one in ten participants smoked."),
    ("In the survey one in ten participants smoked.", "In the survey 10 percent of the participants smoked."),
    ("In the survey half of the participants smoked.", "In the survey 50% of the participants smoked."),
    ("In the survey two thirds of the participants smoked.", "In the survey two-thirds of the participants smoked."),
    ("In the survey 0.25 of the participants smoked.", "In the survey 25% of the participants smoked."),
    (
        "Accuracy rose by 5 percentage points on the test set.",
        "Accuracy rose by five percentage points on the test set.",
    ),
    ("The error rate was 10^-3 per gate in the experiment.", "The error rate was 10−3 per gate in the experiment."),
    ("The error rate was 10−3 per gate in the experiment.", "The error rate was 10^-3 per gate in the experiment."),
    ("The error rate was 10−3 per gate in the experiment.", "The error rate was 0.001 per gate in the experiment."),
    ("The error rate was $10^{-3}$ per gate in the experiment.", "The error rate was 0.1% per gate in the experiment."),
    ("The error rate was 1e-3 per gate in the experiment.", "The error rate was 10^-3 per gate in the experiment."),
    (
        "The error rate was 1.5 × 10−3 per gate in the experiment.",
        "The error rate was 1.5 × 10^-3 per gate in the experiment.",
    ),
    (
        "The error rate was 1.5 × 10−3 per gate in the experiment.",
        "The error rate was 0.0015 per gate in the experiment.",
    ),
    ("The corpus has 1,234,567 tokens in all documents.", "The corpus has 1234567 tokens in all documents."),
    ("The corpus has 1 234 567 tokens in all documents.", "The corpus has 1,234,567 tokens in all documents."),
    ("The corpus has 1.2 million tokens in all documents.", "The corpus has 1,200,000 tokens in all documents."),
    ("The corpus has 12k tokens in all documents.", "The corpus has 12,000 tokens in all documents."),
    ("The corpus has 20,000 tokens in all documents.", "The corpus has twenty thousand tokens in all documents."),
    ("The experiment lasted 2 hours in a dark room.", "The experiment lasted 120 minutes in a dark room."),
    ("The experiment lasted 2 h in a dark room.", "The experiment lasted two hours in a dark room."),
    ("The sample weighed 1.5 kg before drying in the oven.", "The sample weighed 1500 g before drying in the oven."),
    ("The wavelength was 650 nm in all experiments.", "The wavelength was 650 nanometers in all experiments."),
    ("The wavelength was 650 nm in all experiments.", "The wavelength was 0.65 µm in all experiments."),
    ("The latency was 20 ms on the cluster.", "The latency was 0.02 seconds on the cluster."),
    ("The memory was 16 GB on the cluster node.", "The memory was 16 gigabytes on the cluster node."),
    ("It was heated to 37 °C for the culture.", "It was heated to 37 degrees Celsius for the culture."),
    ("The plate costs $50 in the catalogue.", "The plate costs 50 dollars in the catalogue."),
    ("Doses of 5 mg/kg were given to the mice.", "Doses of 5 mg per kg were given to the mice."),
    ("The study included 12 mice in each group.", "The study included one dozen mice in each group."),
    ("Each group had one mouse in the trial.", "Each group had 1 mouse in the trial."),
    ("The survey covered 20 women and 30 men.", "The survey covered 20 women."),
    ("There were 14 children and 12 adults.", "There were 14 children."),
    ("Dropout outperforms weight decay on small data sets.", "Dropout is better than weight decay on small data sets."),
    ("At least 20 samples are needed for the estimate.", "20 or more samples are needed for the estimate."),
    ("More than 20 samples are needed for the estimate.", "Over 20 samples are needed for the estimate."),
    ("The method is not only fast but also accurate.", "The method is fast and accurate."),
    (
        "It is not uncommon that the solver fails on large inputs.",
        "It is common that the solver fails on large inputs.",
    ),
    ("The effect was not insignificant in the second trial.", "The effect was significant in the second trial."),
    ("The drug reduced mortality in the trial.", "The drug did reduce mortality in the trial."),
    ("The drug had no effect on mortality.", "The drug did not have an effect on mortality."),
    ("The model can't handle missing values.", "The model cannot handle missing values."),
    (
        "The algorithm was proposed by Gräler and Höhle for kriging.",
        "The algorithm was proposed by Graler and Hohle for kriging.",
    ),
    (
        "The algorithm was proposed by Gräler and Höhle for kriging.",
        "The algorithm was proposed by Graeler and Hoehle for kriging.",
    ),
    ("The algorithm was proposed by Graler for kriging.", "The algorithm was proposed by Gräler for kriging."),
    ("Erdős and Rényi introduced random graphs.", "Erdos and Renyi introduced random graphs."),
    (
        "The test was introduced by Durbin and Watson (1950) for regressions.",
        "The test was introduced by Durbin and Watson in 1950.",
    ),
    (
        "The test was introduced by Durbin and Watson (1950) for regressions.",
        "Durbin and Watson introduced the test for regressions.",
    ),
    ("A correlation of −0.4 was measured between them.", "A correlation of -0.4 was measured between them."),
    ("The yield was three times higher after the treatment.", "The yield was threefold higher after the treatment."),
)
NOT_SUPPORTED = (
    ("Patients slept between 3 and 5 hours per night in the trial.", "Patients slept 3 to 6 hours per night."),
    ("The dose ranged from 10 to 20 mg per day.", "The dose ranged from 20 to 10 mg per day."),
    ("The dose ranged from 10 to 20 mg per day.", "The dose ranged from 10 to 20 kg per day."),
    ("In the survey one in ten participants smoked.", "In the survey one in twenty participants smoked."),
    ("In the survey 1 in 10 participants smoked.", "In the survey 1 in 100 participants smoked."),
    ("In the survey two thirds of the participants smoked.", "In the survey one third of the participants smoked."),
    ("In the survey 25% of the participants smoked.", "In the survey 25 of the participants smoked."),
    ("Accuracy rose by 5 percentage points on the test set.", "Accuracy rose by 5 percent on the test set."),
    ("The error rate was 10^-3 per gate in the experiment.", "The error rate was 10^-4 per gate in the experiment."),
    ("The error rate was 10^-3 per gate in the experiment.", "The error rate was 10^3 per gate in the experiment."),
    (
        "The error rate was 1.5 × 10⁻³ per gate in the experiment.",
        "The error rate was 1.5 × 10^-4 per gate in the experiment.",
    ),
    ("The corpus has 1.2 million tokens in all documents.", "The corpus has 1.2 billion tokens in all documents."),
    ("The corpus has 20,000 tokens in all documents.", "The corpus has 2,000 tokens in all documents."),
    ("The experiment lasted 2 hours in a dark room.", "The experiment lasted 2 minutes in a dark room."),
    ("The sample weighed 1.5 kg before drying in the oven.", "The sample weighed 1.5 g before drying in the oven."),
    ("The wavelength was 650 nm in all experiments.", "The wavelength was 650 µm in all experiments."),
    ("The latency was 20 ms on the cluster.", "The latency was 20 s on the cluster."),
    ("The memory was 16 GB on the cluster node.", "The memory was 16 MB on the cluster node."),
    ("It was heated to 37 °C for the culture.", "It was heated to 37 °F for the culture."),
    ("The plate costs $50 in the catalogue.", "The plate costs 50 euros in the catalogue."),
    ("Speed was 30 km/h in the town.", "Speed was 30 m/s in the town."),
    ("Doses of 5 mg/kg were given to the mice.", "Doses of 5 mg/ml were given to the mice."),
    ("The survey covered 20 women and 30 men.", "The survey covered 30 women and 20 men."),
    ("The survey covered 20 women and 30 men.", "The survey covered 30 women."),
    ("There were 14 children and 12 adults.", "There were 12 children and 14 adults."),
    ("Method A was faster than method B on all tests.", "Method B was faster than method A on all tests."),
    ("Method A was faster than method B on all tests.", "Method A was slower than method B on all tests."),
    (
        "The treatment group recovered faster than the control group.",
        "The control group recovered faster than the treatment group.",
    ),
    ("Dropout outperforms weight decay on small data sets.", "Weight decay outperforms dropout on small data sets."),
    ("At least 20 samples are needed for the estimate.", "At most 20 samples are needed for the estimate."),
    ("More than 20 samples are needed for the estimate.", "Fewer than 20 samples are needed for the estimate."),
    ("More than 20 samples are needed for the estimate.", "20 samples are needed for the estimate."),
    ("About 20 samples are needed for the estimate.", "Exactly 20 samples are needed for the estimate."),
    ("Up to 20 samples are needed for the estimate.", "At least 20 samples are needed for the estimate."),
    ("The method is not only fast but also accurate.", "The method is not fast but accurate."),
    ("The method is not only fast but also accurate.", "The method is not fast."),
    (
        "It is not uncommon that the solver fails on large inputs.",
        "It is uncommon that the solver fails on large inputs.",
    ),
    ("The effect was not insignificant in the second trial.", "The effect was insignificant in the second trial."),
    ("The drug did not reduce mortality in the trial.", "The drug reduced mortality in the trial."),
    ("The drug reduced mortality in the trial.", "The drug failed to reduce mortality in the trial."),
    ("The drug had no effect on mortality.", "The drug had an effect on mortality."),
    ("None of the patients relapsed within a year.", "All of the patients relapsed within a year."),
    ("All of the patients relapsed within a year.", "Some of the patients relapsed within a year."),
    ("Few patients relapsed within a year.", "Many patients relapsed within a year."),
    ("The model cannot handle missing values.", "The model can handle missing values."),
    ("The model is unable to handle missing values.", "The model is able to handle missing values."),
    ("The model lacks support for missing values.", "The model has support for missing values."),
    ("Training without dropout converged on all seeds.", "Training with dropout converged on all seeds."),
    (
        "The results are inconsistent with earlier work on sleep.",
        "The results are consistent with earlier work on sleep.",
    ),
    ("Neither aspirin nor ibuprofen lowered the risk.", "Aspirin and ibuprofen lowered the risk."),
    ("The test rarely rejects the hypothesis.", "The test often rejects the hypothesis."),
    ("The algorithm was proposed by Gräler for kriging.", "The algorithm was proposed by Pebesma for kriging."),
    (
        "The test was introduced by Durbin and Watson (1950) for regressions.",
        "The test was introduced by Durbin and Watson in 1951.",
    ),
    ("The survey of 1998 covered 2000 households in Spain.", "The survey of 2000 covered 1998 households in Spain."),
    ("Growth was strong in the 1990s in Spain.", "Growth was strong in the 1980s in Spain."),
    ("Version 2.4.0 added the clustered estimators.", "Version 2.4.1 added the clustered estimators."),
    (
        "Negative temperatures of -5 degrees were measured in the cave.",
        "Temperatures of 5 degrees were measured in the cave.",
    ),
    ("A correlation of -0.4 was measured between them.", "A correlation of 0.4 was measured between them."),
    ("The ratio of men to women was 3:1 in the sample.", "The ratio of men to women was 1:3 in the sample."),
    ("The p-value was below 0.05 for both tests.", "The p-value was above 0.05 for both tests."),
    (
        "The difference was significant (p < 0.05) in both tests.",
        "The difference was significant (p < 0.01) in both tests.",
    ),
    ("The yield doubled after the treatment.", "The yield halved after the treatment."),
    ("The yield was three times higher after the treatment.", "The yield was four times higher after the treatment."),
    ("Smoking causes cancer in mice.", "Cancer causes smoking in mice."),
    (
        "The pill was developed and is used in clinics since 2009.",
        "In 2009, the pill was developed and used in clinics.",
    ),
    ("The law was repealed in all regions before 1998.", "The law was repealed in all regions in 1998."),
    ("The station was closed for visitors until 2012.", "The station was closed for visitors since 2012."),
    (
        "Inventory control is a standard benchmark problem of operations research.",
        "Inventory control is used because it is a standard benchmark problem of operations research.",
    ),
    ("The sensors are small and are worn on the thigh.", "The sensors are worn on the thigh because they are small."),
    (
        "Deer were rare in the north and wolves moved there.",
        "Wolves moved there, therefore deer were rare in the north.",
    ),
    (
        "This is a small device that is worn on the upper right thigh.",
        "The device is worn on the thigh (near the calf).",
    ),
    ("The bees were counted in the meadow by hand.", "Bees (and wasps) were counted in the meadow by hand."),
    ("The model was trained on images of cats.", "The model (a transformer) was trained on images."),
    ("VESPA has five phases, each of which is composed of functions.", "Each phase is composed of several sub-phases."),
    ("Replicas start a consensus round for each request.", "Replicas start a consensus round to the acceptors."),
    ("The tool is a plugin for a simulator of kernels.", "The tool is a plugin for the browser of kernels."),
    (
        "We believed before the trial that it has two phases: bees fly in the morning; wasps fly at night.",
        "It has two phases: bees fly in the morning; wasps fly at night.",
    ),
    (
        "Nobody showed that bees fly in the morning; wasps fly at night; moths rest.",
        "Bees fly in the morning; wasps fly at night; moths rest.",
    ),
    (
        "We asked whether bees fly in the morning; wasps fly at night.",
        "Bees fly in the morning; wasps fly at night.",
    ),
    # a condition or a time that the source does not have
    ("The option is set by a variable of the package.", "The option is set when you install the package."),
    ("The pump stops and an alarm is sent to the nurse.", "The pump stops if a valve is open."),
    (
        "Samples were stored in the freezer of the clinic.",
        "Samples were stored in the freezer until they were analysed.",
    ),
    ("The children learned to read with the software.", "The children learned to read before they used computers."),
    ("The index is rebuilt and the cache is emptied.", "The index is rebuilt whenever documents change."),
    # another noun behind "and" or "or"
    ("The gap lies between the text and its frame.", "The gap lies between the text and the margin."),
    ("The method was tested on images of cats.", "The method was tested on images and videos."),
    ("Plants were grown in sand under red light.", "Plants were grown in sand or peat under red light."),
    ("The survey was sent to teachers of the school.", "The survey was sent to the teachers and the parents."),
    ("The library works with lists and numbers.", "The library works with lists and the matrices."),
    # the object of another verb
    (
        "Local radiation regulates star formation, and distant radiation is driving outflows.",
        "Radiation is driving star formation and outflows.",
    ),
    (
        "The filter removes noise and keeps edges of the image.",
        "The filter removes edges of the image and keeps noise.",
    ),
    ("Large trees shade small shrubs in the garden.", "Small trees shade large shrubs in the garden."),
    ("Students write code and review essays in the course.", "Students review code and write essays in the course."),
    ("Nurses measured pressure, doctors prescribed rest.", "Doctors measured rest, nurses prescribed pressure."),
    # a part of a compound
    ("The tool is a plugin for the OpenCL simulator.", "The tool is a plugin for the open-source simulator."),
    ("The simulation of the pendulum runs in a browser.", "The browser-based simulation of the pendulum runs."),
    ("The survey measures sitting time at work.", "The self-reported survey measures sitting time at work."),
    ("The course teaches statistics to biologists.", "The two-day course teaches statistics to biologists."),
    ("The interface shows plots of the signals.", "The user-friendly interface shows plots of the signals."),
    # the subject of a passive that is no object of the verb
    (
        "To compare our pipeline with others, we used 18 gene families from a database.",
        "18 gene families are compared in a database.",
    ),
    ("To measure sleep, the nurses wore watches at night.", "Watches were measured at night."),
    ("The nurses wore watches to record sleep at night.", "Watches were recorded at night."),
    ("We asked teachers to estimate the height of the pupils.", "Teachers were estimated by the height of the pupils."),
    ("To improve recall, the index was built with longer lists.", "The index was improved with longer lists."),
    # a purpose that the source does not have
    ("The package is a companion for exploring control systems.", "The package is used to generate control systems."),
    ("The sensor is used on the thigh of patients.", "The sensor is used to warn patients."),
    ("The tutorials use notebooks with models.", "The notebooks of the tutorials can be used to publish models."),
    ("The scale was used in the clinic for sleep.", "The scale was used to improve sleep in the clinic."),
    ("The maps show activation of brain regions.", "The maps are used to treat brain regions."),
    # an infinitive, or its object, that the source does not have
    ("The platform allows students to run experiments.", "The platform allows students to publish experiments."),
    ("Instructors use it to introduce new topics.", "Instructors use it to introduce topics and to test theories."),
    (
        "The tests were used to find errors of the parser.",
        "The tests were used to find errors and to teach the parser.",
    ),
    ("Users learn to write small programs in the course.", "Users learn to write long programs and emails."),
    ("The tool helps teachers to plan lessons.", "The tool helps teachers to plan examinations."),
    # a word that judges
    ("The tool is an educational interpreter of formulas.", "The tool is an educational and powerful interpreter."),
    ("Instructors introduce topics to their classes.", "Instructors introduce topics to their classes easily."),
    ("The package computes isotherms of gases.", "The popular package computes isotherms of gases."),
    ("Bees find the flowers in the meadow by their colour.", "Bees quickly find flowers in the meadow."),
    ("The method finds errors in the parser of formulas.", "The method reliably finds errors in the parser."),
    # a phrase that states nothing
    ("It was tested in the classroom and on the web.", "In the classroom, and on the web."),
    ("It was tested in a large classroom.", "In a large classroom."),
    ("The tool is a package that computes isotherms.", "A package that computes isotherms."),
    ("We present the new interpreter that is used in class.", "The new interpreter that is used in class."),
    ("In this work we release the package for sums.", "The package in this work."),
    # a subject made of two parts of a list
    (
        "The two inputs (the policy file and the grade data) are read first.",
        "The data file of the policy is read first, before the grade.",
    ),
    ("The red house and the old mill were sold.", "The old house was sold with the red mill."),
    ("The filter removes noise and the coder adds marks.", "The noise coder can add marks; the filter removes them."),
    ("Bees carry pollen and wasps carry paste.", "The bees paste is carried with pollen by wasps."),
    ("Teachers grade essays or students write exams.", "The essays exams are written by students or teachers."),
    # a name twice
    ("One participant disliked the term “heart failure”.", "“Heart failure” or “heart failure”"),
    ("By default a figure occupies one column of the page.", "By default a figure occupies only one column of a page."),
    ("The patients slept in one room of the clinic.", "The patients slept in only one room of the clinic."),
    ("The survey lists one cause of the failures.", "The survey lists only one cause of the failures."),
)


def passes(quoted: str, claim: str) -> bool:
    source = source_of(quoted)
    return Verifier("", [source], None).check(Claim(claim, (Mark(1, quoted),))).passed


@pytest.mark.parametrize(("quoted", "claim"), SUPPORTED)
def test_the_same_fact_in_another_form_passes(quoted, claim):
    assert passes(quoted, claim)


@pytest.mark.parametrize(("quoted", "claim"), NOT_SUPPORTED)
def test_another_fact_is_dropped(quoted, claim):
    assert passes(quoted, quoted)
    assert not passes(quoted, claim)


def test_a_claim_that_breaks_off_in_a_parenthesis_states_nothing():
    said = "Sulfurimonas gotlandica (got.lan9di.ca."

    assert not passes(said, said)


@pytest.mark.parametrize(
    ("quoted", "claim"),
    [
        ("Pyemu is a package that runs models of water.", "It is a package that runs models of water."),
        ("The parser can read tables of old papers.", "It can read tables of old papers."),
        ("The viewers were built in 2003 for maps.", "They were built in 2003 for maps."),
        ("The lexer has rules for names of plants.", "It has rules for names of plants."),
        ("Here the loader was written in Rust by students.", "It was written in Rust by students."),
    ],
)
def test_a_pronoun_stands_for_what_was_asked(quoted, claim):
    subject = quoted.removeprefix("Here ").split()[:2]
    about, other = f"What is {' '.join(subject).lower()}?", "What is pendsim?"
    results = [Verifier(one, [source_of(quoted)], None).check(Claim(claim, (Mark(1),))) for one in (about, other)]
    assert [one.passed for one in results] == [True, False]


@pytest.mark.parametrize(
    "entry",
    [
        "40. Smith IM, Glazer CA, Ochs MF (2009) Genes of mice in cold rooms.",
        "Smith IM, Glazer CA, Ochs MF (2009) Genes of mice in cold rooms.",
        "7. O'Hara J, Müller-Lee KT, et al. (2011) Walks of old dogs.",
        "Ng A, Li B, Wu C: Rivers that were dry. Water 2, 3-4 (2001).",
        "12. Diaz PQR, Roy S, Tal U. Songs of birds in parks. Birds. 1999;3:1-9.",
    ],
)
def test_an_entry_of_a_list_of_references_states_nothing(entry):
    assert not passes(entry, entry)
