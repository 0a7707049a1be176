import type { Stage } from '../platform.ts';
import { NotShown } from './patience.ts';

const not = (): Promise<never> => Promise.reject(new NotShown('cards are not shown in Slack yet'));

/** Cards and answers to calls in one Slack workspace. */
export function createSlackStage(): Stage {
  return { card: not, removeCard: not, respond: not, begin: not, open: not, upload: not };
}
