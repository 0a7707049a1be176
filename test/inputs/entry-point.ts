import type { Random } from '../faults/seeded-random.ts';

/** One input: returns what is wrong with its handling, or undefined. */
export type Try = () => Promise<string | undefined>;

/** A place that accepts data from outside. */
export type EntryPoint = {
  readonly name: string;
  /** The share of the inputs, in percent. */
  readonly share: number;
  /** Creates the state for one block of inputs, and the inputs. */
  readonly open: (random: Random) => Promise<Try> | Try;
};

type Answer = { readonly statusCode: number };

/** Returns what is wrong with the response to a request whose signature is valid, invalid or unknown. */
export function faultOf(answer: unknown, signed: boolean | undefined, effects: number): string | undefined {
  const status = statusOf(answer);
  if (status === undefined) return `no answer of a function: ${JSON.stringify(answer)?.slice(0, 200)}`;
  if (status >= 500) return `status ${status}`;
  if (signed === false && effects > 0) return `${effects} calls to AWS before the sender was known`;
  if (signed === false && status < 400) return `status ${status} for an unknown sender`;
  if (signed === true && status === 401) return 'a good signature was refused';
  return undefined;
}

const isAnswer = (of: unknown): of is Answer =>
  typeof of === 'object' && of !== null && 'statusCode' in of && typeof of.statusCode === 'number';

function statusOf(answer: unknown): number | undefined {
  return isAnswer(answer) && Number.isInteger(answer.statusCode) ? answer.statusCode : undefined;
}
