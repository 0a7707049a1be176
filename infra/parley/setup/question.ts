/** One question of the set-up. Its id is also the name of its answer in an answers file. */
export type Question = {
  readonly id: string;
  /** `secret`: not shown, and never in the state file. `choices`: several values, separated by commas. */
  readonly kind: 'text' | 'secret' | 'choice' | 'choices';
  readonly message: string;
  /** For the two kinds of choices. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** The answer if a person only presses Enter. */
  readonly initial?: string;
  /** Whether an empty answer is allowed. */
  readonly isOptional?: boolean;
  /** Returns what is wrong with the form of an answer. Undefined if it is right. */
  readonly findProblem?: (answer: string) => string | undefined;
};

/** Asks questions: a person at a terminal, or a file. */
export type Prompter = {
  /** Whether a person answers: a question can be asked again after a wrong answer, and an interrupted run continued. */
  readonly isInteractive: boolean;
  /** Resolves with the answer, which has the right form. Rejects with SetupError if there is none. */
  ask(question: Question): Promise<string>;
};

/** The set-up cannot continue. The message says why and what to do. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}

/** Returns what is wrong with the form of an answer. Undefined if it is right. */
export function findAnswerProblem(question: Question, answer: string): string | undefined {
  const { kind, choices = [], isOptional = false, findProblem } = question;
  if (answer === '') return isOptional ? undefined : 'an answer is needed';
  if (kind === 'choice' || kind === 'choices') {
    const values = choices.map(({ value }) => value);
    const unknown = answer.split(',').find((value) => !values.includes(value));
    return unknown === undefined ? undefined : `${unknown} is none of ${values.join(', ')}`;
  }
  return findProblem?.(answer);
}
