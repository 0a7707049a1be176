import { everyMessageIsNew } from '../../shared/intake/accept-question.ts';
import { noRecordingTracking } from '../../shared/voice/auto-transcribe.ts';
import { FakeQueue } from './messenger.ts';

/** Of a front where nothing is set, no bot is allowed and nobody records. */
export const BARE_INTAKE = {
  transcriptionQueue: new FakeQueue(),
  recordings: noRecordingTracking,
  settingsStore: { layers: () => Promise.resolve({}) },
  recentMessages: everyMessageIsNew,
  allowedBots: new Set<string>(),
};
