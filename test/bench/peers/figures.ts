/** One figure of the report for each subject: the values of all runs. */
export type Figure = {
  readonly what: string;
  readonly unit: string;
  readonly digits?: number;
  /** More is better: there is no ratio. */
  readonly isGain?: boolean;
  /** The values of each subject, by name. No values: not measured, or never. */
  readonly values: Readonly<Record<string, readonly number[]>>;
};

/** A section of the report. */
export type Section = {
  readonly title: string;
  readonly text: string;
  readonly figures: readonly Figure[];
  readonly notes?: readonly string[];
};
