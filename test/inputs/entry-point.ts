import type { Random } from '../faults/seeded-random.ts';

/** One input: says what is wrong with how it was taken; undefined where nothing is. */
export type Try = () => Promise<string | undefined>;

/** A place where what others made comes in. */
export type EntryPoint = {
  readonly name: string;
  /** Of a hundred inputs so many come in here. */
  readonly share: number;
  /** A world of its own for a block of inputs, and the inputs for it. */
  readonly open: (random: Random) => Promise<Try> | Try;
};

type Answer = { readonly statusCode: number };

/** What is wrong with the answer to a request whose signature is good, bad, or not known to be either. */
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
