"""The one list of public names; importing it loads every word of the formula language."""

from __future__ import annotations

from inexmetrics.collection import Assessments, Collection, Runs, Structure
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.collection.topics import Topic, Topics
from inexmetrics.common.errors import CollectionError, CollectionWarning, FormulaError, Problem
from inexmetrics.experiments.agreement import Agreement, AgreementResult, agreement
from inexmetrics.experiments.assessors.agreement_tables import AssessorAgreement, assessor_agreement
from inexmetrics.experiments.assessors.experiment import Assessors, AssessorsResult, assessors
from inexmetrics.experiments.base import Experiment, Result
from inexmetrics.experiments.correlation import Correlation, CorrelationResult, correlation
from inexmetrics.experiments.curve import Curve, CurveResult, curve
from inexmetrics.experiments.degradation import Degradation, DegradationResult, degradation
from inexmetrics.experiments.error_rate import ErrorRate, ErrorRateResult, error_rate
from inexmetrics.experiments.fidelity import Fidelity, FidelityResult, fidelity
from inexmetrics.experiments.power import Power, PowerResult, power
from inexmetrics.experiments.ranks import Ranks, RanksResult, ranks
from inexmetrics.experiments.reliability import Reliability, ReliabilityResult, reliability
from inexmetrics.experiments.scores import ScoresResult, Scoring, scores
from inexmetrics.experiments.significance import Significance, SignificanceResult, significance
from inexmetrics.experiments.versus import Versus, VersusResult, versus
from inexmetrics.formula import parse
from inexmetrics.formula.evaluation import run
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.bootstrap import bootstrap
from inexmetrics.inference.classical import sign, t, wilcoxon
from inexmetrics.inference.corrections import BH, BY, Bonferroni, Holm, unadjusted
from inexmetrics.inference.randomisation import randomisation
from inexmetrics.inference.tukey import tukey
from inexmetrics.judgements.assessor import assessor
from inexmetrics.measures.base import Cut, Family, Measure
from inexmetrics.measures.characters import MAiP, char_f1, char_prec, char_rec, iP
from inexmetrics.measures.custom import measure
from inexmetrics.measures.custom_links import links
from inexmetrics.measures.documents import MAP, RR, P, R, nDCG
from inexmetrics.measures.effort_precision import MAep, iMAep
from inexmetrics.measures.eprum import EPRUM, MAEPRUM, EPRUMk
from inexmetrics.measures.given import given
from inexmetrics.measures.in_context import MAgP, MAgPsize, MAgPsize11, gP, gR, gRsize, iGP
from inexmetrics.measures.inex_eval import inex_eval
from inexmetrics.measures.navigation import Navigation
from inexmetrics.measures.navigation_choices import either
from inexmetrics.measures.navigation_models import bep, distance, hierarchy, none, tolerance
from inexmetrics.measures.nxcg import MAnxCG, nxCG
from inexmetrics.preparation.base import Preparation
from inexmetrics.preparation.grouping import group_by_document
from inexmetrics.preparation.overlap import remove_overlap
from inexmetrics.preparation.pooling import pool, pool_coverage
from inexmetrics.preparation.truncation import keep_characters, keep_first
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.quantisations.combinators import min_size, threshold, without_too_small
from inexmetrics.quantisations.custom import quantisation
from inexmetrics.quantisations.inex2004 import E3S32, E3S321, E32S3, E321S3, SOG, AnyRel, Gen4, Strict4
from inexmetrics.quantisations.inex2005 import BinExh, FullySpec, Gen5, GenLifted, Strict5
from inexmetrics.reading.assessments import read_assessments
from inexmetrics.reading.frames import from_frames
from inexmetrics.reading.links import read_links
from inexmetrics.reading.matrices import scores_from
from inexmetrics.reading.run_files import read_runs
from inexmetrics.reading.structures import read_structure
from inexmetrics.reading.topic_files import read_topics
from inexmetrics.report.inex_eval import inex_eval_report
from inexmetrics.retrieval.retrieve import retrieve
from inexmetrics.retrieval.run_files import write_runs
from inexmetrics.simulations.sample import sample
from inexmetrics.terms.term import Term

__all__ = [
    "BH",
    "BY",
    "E3S32",
    "E3S321",
    "E32S3",
    "E321S3",
    "EPRUM",
    "MAEPRUM",
    "MAP",
    "RR",
    "SOG",
    "Agreement",
    "AgreementResult",
    "AnyRel",
    "Assessments",
    "AssessorAgreement",
    "Assessors",
    "AssessorsResult",
    "BinExh",
    "Bonferroni",
    "Collection",
    "CollectionError",
    "CollectionWarning",
    "Correction",
    "Correlation",
    "CorrelationResult",
    "Curve",
    "CurveResult",
    "Cut",
    "Degradation",
    "DegradationResult",
    "EPRUMk",
    "ErrorRate",
    "ErrorRateResult",
    "Experiment",
    "Family",
    "Fidelity",
    "FidelityResult",
    "FormulaError",
    "FullySpec",
    "Gen4",
    "Gen5",
    "GenLifted",
    "Holm",
    "MAep",
    "MAgP",
    "MAgPsize",
    "MAgPsize11",
    "MAiP",
    "MAnxCG",
    "Measure",
    "Navigation",
    "P",
    "Power",
    "PowerResult",
    "Preparation",
    "Problem",
    "Quantisation",
    "R",
    "Ranks",
    "RanksResult",
    "Reliability",
    "ReliabilityResult",
    "Result",
    "Runs",
    "Scores",
    "ScoresResult",
    "Scoring",
    "Significance",
    "SignificanceResult",
    "SignificanceTest",
    "Strict4",
    "Strict5",
    "Structure",
    "Term",
    "Topic",
    "Topics",
    "Versus",
    "VersusResult",
    "agreement",
    "assessor",
    "assessor_agreement",
    "assessors",
    "bep",
    "bootstrap",
    "char_f1",
    "char_prec",
    "char_rec",
    "correlation",
    "curve",
    "degradation",
    "distance",
    "either",
    "error_rate",
    "fidelity",
    "from_frames",
    "gP",
    "gR",
    "gRsize",
    "given",
    "group_by_document",
    "hierarchy",
    "iGP",
    "iMAep",
    "iP",
    "inex_eval",
    "inex_eval_report",
    "keep_characters",
    "keep_first",
    "links",
    "measure",
    "min_size",
    "nDCG",
    "none",
    "nxCG",
    "parse",
    "pool",
    "pool_coverage",
    "power",
    "quantisation",
    "randomisation",
    "ranks",
    "read_assessments",
    "read_links",
    "read_runs",
    "read_structure",
    "read_topics",
    "reliability",
    "remove_overlap",
    "retrieve",
    "run",
    "sample",
    "scores",
    "scores_from",
    "sign",
    "significance",
    "t",
    "threshold",
    "tolerance",
    "tukey",
    "unadjusted",
    "versus",
    "wilcoxon",
    "without_too_small",
    "write_runs",
]  # fmt: skip
