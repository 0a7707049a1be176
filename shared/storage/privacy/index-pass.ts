import * as v from 'valibot';
import { indexCursorSchema } from './person-items.ts';

/**
 * How far the person index was processed. The task carries it as text; the `from` of a table scan is the key of
 * an item instead.
 */
const passShape = v.object({
  /** From 1: the index is processed several times. */
  pass: v.number(),
  /** Whether this pass erased anything. */
  found: v.boolean(),
  /** Whether something to erase is still in use. */
  waits: v.boolean(),
  after: indexCursorSchema,
});
export type IndexPass = v.InferOutput<typeof passShape>;

const PREFIX = 'index ';
const FIRST_PASS: IndexPass = { pass: 1, found: false, waits: false };

/** Parses the pass of an erasure by the index; the first one without a cursor. */
export const parsePass = (from: string | undefined): IndexPass =>
  from === undefined ? FIRST_PASS : v.parse(passShape, JSON.parse(from.slice(PREFIX.length)));

export const serializePass = (pass: IndexPass): string => PREFIX + JSON.stringify(pass);

/** Whether to use the index. What was started with a scan ends with it. */
export const shouldUseIndex = async (
  from: string | undefined,
  isIndexComplete: () => Promise<boolean>,
): Promise<boolean> => (from === undefined ? isIndexComplete() : from.startsWith(PREFIX));

/** An index usually lags behind its table by less than a second; AWS guarantees no bound. */
export const PASS_DELAY_MS = 5_000;
/** Items that were written during the first pass are in the index in the second one. */
export const MIN_PASSES = 2;
/** Limits the passes for a person who keeps asking. */
export const MAX_CLEANUP_PASSES = 3;
/** The maximum wait for a question that is being answered together with others: five minutes. */
export const MAX_PASSES = 60;
