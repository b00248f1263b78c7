"""All public names of the package, imported from their modules.

The package reads this file as text, and imports the module that defines a name when the name is first used. Importing this file loads every
name of the formula language.
"""

from inexmetrics.collection import Assessments as Assessments, Collection as Collection, Runs as Runs, Structure as Structure
from inexmetrics.collection.score_matrices import Scores as Scores
from inexmetrics.collection.topics import Topic as Topic, Topics as Topics
from inexmetrics.common.errors import CollectionError as CollectionError, CollectionWarning as CollectionWarning
from inexmetrics.common.errors import FormulaError as FormulaError, Problem as Problem
from inexmetrics.experiments.agreement import Agreement as Agreement, AgreementResult as AgreementResult
from inexmetrics.experiments.agreement_call import agreement as agreement
from inexmetrics.experiments.assessors.experiment import Assessors as Assessors, AssessorsResult as AssessorsResult, assessors as assessors
from inexmetrics.experiments.assessors.judged_topics import AssessorAgreement as AssessorAgreement, assessor_agreement as assessor_agreement
from inexmetrics.experiments.base import Experiment as Experiment, Result as Result
from inexmetrics.experiments.calibration import Calibration as Calibration, CalibrationResult as CalibrationResult
from inexmetrics.experiments.calibration import calibration as calibration
from inexmetrics.experiments.correlation import Correlation as Correlation, CorrelationResult as CorrelationResult
from inexmetrics.experiments.correlation import correlation as correlation
from inexmetrics.experiments.curve import Curve as Curve, CurveResult as CurveResult, curve as curve
from inexmetrics.experiments.degradation import Degradation as Degradation, DegradationResult as DegradationResult
from inexmetrics.experiments.degradation import degradation as degradation
from inexmetrics.experiments.design import Design as Design, DesignResult as DesignResult, design as design
from inexmetrics.experiments.disagreement import Disagreement as Disagreement, DisagreementResult as DisagreementResult
from inexmetrics.experiments.disagreement import disagreement as disagreement
from inexmetrics.experiments.error_rate import ErrorRate as ErrorRate, ErrorRateResult as ErrorRateResult, error_rate as error_rate
from inexmetrics.experiments.fidelity import Fidelity as Fidelity, FidelityResult as FidelityResult, fidelity as fidelity
from inexmetrics.experiments.judges import Judges as Judges, JudgesResult as JudgesResult
from inexmetrics.experiments.judges_call import judges as judges
from inexmetrics.experiments.ppi import Ppi as Ppi, PpiResult as PpiResult, ppi as ppi
from inexmetrics.experiments.meta import Meta as Meta, MetaResult as MetaResult, meta as meta
from inexmetrics.experiments.power import Power as Power, PowerResult as PowerResult, power as power
from inexmetrics.experiments.ranks import Ranks as Ranks, RanksResult as RanksResult, ranks as ranks
from inexmetrics.experiments.reliability import Reliability as Reliability, ReliabilityResult as ReliabilityResult
from inexmetrics.experiments.reliability import reliability as reliability
from inexmetrics.experiments.schema_of import schema_of as schema_of
from inexmetrics.experiments.scores import ScoresResult as ScoresResult, Scoring as Scoring, scores as scores
from inexmetrics.experiments.significance import Significance as Significance, SignificanceResult as SignificanceResult
from inexmetrics.experiments.significance import significance as significance
from inexmetrics.experiments.versus import Versus as Versus, VersusResult as VersusResult, versus as versus
from inexmetrics.formula import parse as parse
from inexmetrics.formula.evaluation import run as run
from inexmetrics.formula.loops import Evaluator as Evaluator, evaluator as evaluator
from inexmetrics.inference.base import Correction as Correction, SignificanceTest as SignificanceTest
from inexmetrics.inference.bootstrap import bootstrap as bootstrap, randomisation as randomisation
from inexmetrics.inference.classical import sign as sign, wilcoxon as wilcoxon
from inexmetrics.inference.paired_t import t as t
from inexmetrics.inference.corrections import BH as BH, BY as BY, Bonferroni as Bonferroni, Holm as Holm, unadjusted as unadjusted
from inexmetrics.inference.all_pairs import stepdown as stepdown, tukey as tukey
from inexmetrics.judgements.assessors import assessor as assessor, jury as jury
from inexmetrics.judgements.incomplete import pooled as pooled, sampled as sampled, topics as topics
from inexmetrics.judgements.estimated import estimated as estimated
from inexmetrics.judgements.weighted import weighted as weighted
from inexmetrics.scoring.planning import plan as plan
from inexmetrics.measures.base import Cut as Cut, Family as Family, Measure as Measure
from inexmetrics.measures.characters import MAiP as MAiP, char_f1 as char_f1, char_iou as char_iou, char_prec as char_prec
from inexmetrics.measures.characters import char_rec as char_rec, iP as iP
from inexmetrics.measures.custom import measure as measure, given as given
from inexmetrics.measures.custom_links import links as links
from inexmetrics.measures.documents import MAP as MAP, RR as RR, P as P, R as R, Rprec as Rprec, Success as Success
from inexmetrics.measures.graded_documents import DCG as DCG, ERR as ERR, nDCG as nDCG
from inexmetrics.measures.cumulated_gain import MAep as MAep, iMAep as iMAep, MAnxCG as MAnxCG, nxCG as nxCG
from inexmetrics.measures.eprum import EPRUM as EPRUM, MAEPRUM as MAEPRUM, EPRUMk as EPRUMk
from inexmetrics.measures.in_context import MAgP as MAgP, MAgPsize as MAgPsize, MAgPsize11 as MAgPsize11, gP as gP, gR as gR
from inexmetrics.measures.in_context import gRsize as gRsize, iGP as iGP
from inexmetrics.measures.incomplete import Judged as Judged, bpref as bpref, infAP as infAP
from inexmetrics.measures.inex_eval import inex_eval as inex_eval
from inexmetrics.measures.navigation import Navigation as Navigation
from inexmetrics.measures.navigation_models import bep as bep, distance as distance, either as either, hierarchy as hierarchy, none as none
from inexmetrics.measures.navigation_models import tolerance as tolerance
from inexmetrics.measures.rank_biased import RBP as RBP, RBPresidual as RBPresidual
from inexmetrics.measures.set_measures import F as F, SetF as SetF, SetP as SetP, SetR as SetR
from inexmetrics.preparation.base import Preparation as Preparation
from inexmetrics.preparation.overlap import group_by_document as group_by_document, remove_overlap as remove_overlap
from inexmetrics.preparation.truncation import best_entry as best_entry, drop_query as drop_query, keep_characters as keep_characters
from inexmetrics.preparation.truncation import keep_first as keep_first
from inexmetrics.preparation.pooling import pool as pool, pool_coverage as pool_coverage
from inexmetrics.quantisations.base import Quantisation as Quantisation
from inexmetrics.quantisations.derived import min_size as min_size, threshold as threshold, without_too_small as without_too_small
from inexmetrics.quantisations.derived import quantisation as quantisation
from inexmetrics.quantisations.documents import by_grade as by_grade, votes as votes
from inexmetrics.quantisations.inex2004 import E3S32 as E3S32, E3S321 as E3S321, E32S3 as E32S3, E321S3 as E321S3, SOG as SOG
from inexmetrics.quantisations.inex2004 import AnyRel as AnyRel, Gen4 as Gen4, Strict4 as Strict4
from inexmetrics.quantisations.inex2005 import BinExh as BinExh, FullySpec as FullySpec, Gen5 as Gen5, GenLifted as GenLifted
from inexmetrics.quantisations.inex2005 import Strict5 as Strict5
from inexmetrics.reading.assessments import read_assessments as read_assessments
from inexmetrics.reading.frames import from_frames as from_frames
from inexmetrics.reading.structures import read_links as read_links, read_structure as read_structure
from inexmetrics.reading.quotations import Quotations as Quotations, locate_quotations as locate_quotations
from inexmetrics.reading.matrices import scores_from as scores_from
from inexmetrics.reading.run_files import read_runs as read_runs
from inexmetrics.reading.topic_files import read_topics as read_topics
from inexmetrics.inex_report.report import inex_eval_report as inex_eval_report
from inexmetrics.retrieval.retrieve import retrieve as retrieve
from inexmetrics.retrieval.run_files import write_runs as write_runs
from inexmetrics.simulations.sample import sample as sample
from inexmetrics.terms.term import Term as Term
