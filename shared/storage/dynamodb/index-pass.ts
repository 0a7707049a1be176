import * as v from 'valibot';
import { afterShape } from '../privacy/person-items.ts';

/** How far the index of persons was gone through. A task carries it as text; `from` of a scan is the key of an item instead. */
const passShape = v.object({
  /** From 1: it is gone through several times. */
  pass: v.number(),
  /** Whether this pass has removed anything so far. */
  found: v.boolean(),
  /** Whether something is to be removed that cannot be yet. */
  waits: v.boolean(),
  after: afterShape,
});
export type Pass = v.InferOutput<typeof passShape>;

const PREFIX = 'index ';
const FIRST_PASS: Pass = { pass: 1, found: false, waits: false };

export const readPass = (from: string | undefined): Pass =>
  from === undefined ? FIRST_PASS : v.parse(passShape, JSON.parse(from.slice(PREFIX.length)));

export const passText = (pass: Pass): string => PREFIX + JSON.stringify(pass);

/** Whether to go by the index. What was begun by a scan ends so. */
export const byIndex = async (
  from: string | undefined,
  isIndexComplete: () => Promise<boolean>,
): Promise<boolean> => (from === undefined ? isIndexComplete() : from.startsWith(PREFIX));

/** An index is behind its table by less than a second as a rule; AWS names no bound. */
export const BETWEEN_PASSES_MS = 5_000;
/** What was being stored when it began stands in the index by the second pass. */
export const MIN_PASSES = 2;
/** Somebody who goes on asking is not forgotten for ever. */
export const MAX_PASSES_WITHOUT_WAITING = 3;
/** For so long a question is waited for that is being answered along with somebody else's: five minutes. */
export const MAX_PASSES = 60;
