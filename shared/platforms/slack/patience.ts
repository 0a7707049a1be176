import { persistent } from '../patience.ts';
import { failureOf } from './call-failure.ts';

export { NotShown, type Patience, pauseBefore } from '../patience.ts';

/** Repeats a call that is harmless to repeat until it succeeds, is refused for good, or time runs out. */
export const persist = persistent(failureOf);
