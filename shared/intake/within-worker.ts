import type { ChatContext } from '../chat/index.ts';
import { noRecordingTracking } from '../voice/index.ts';
import { everyMessageIsNew } from './accept-question.ts';
import type { HandleEventContext } from './handle-event.ts';

type NeededOfWorker = Pick<
  ChatContext,
  'turns' | 'signals' | 'queue' | 'showMessage' | 'transcription' | 'settingsStore' | 'time'
>;

/** What intake needs where a worker itself asks a question for a person: a command or a button, never another bot. */
export const intakeWithin = <C extends NeededOfWorker>(context: C): C & HandleEventContext => ({
  ...context,
  transcriptionQueue: context.transcription.queue,
  recordings: noRecordingTracking,
  recentMessages: everyMessageIsNew,
  allowedBots: new Set(),
  now: context.time.now,
});
