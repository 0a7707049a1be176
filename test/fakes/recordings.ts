import type { WorkerContext } from '../../shared/worker/index.ts';
import { userId } from '../../shared/domain/index.ts';
import type { Recordings } from '../../shared/storage/index.ts';

/** Of recordings that nobody stops or deletes. */
export const NEVER_STOPPED: Pick<
  Recordings,
  'readSignal' | 'stop' | 'resume' | 'addTranscriptMessages' | 'remove'
> = {
  readSignal: async () => ({ isDeleted: false, stoppedBy: undefined, recordedBy: userId('U1') }),
  stop: async () => true,
  resume: async () => undefined,
  addTranscriptMessages: async () => true,
  remove: async () => undefined,
};

/** Of a place where nothing is recorded. */
export const NO_RECORDINGS: WorkerContext['transcription']['recordings'] & Pick<Recordings, 'listByMessage'> =
  {
    ...NEVER_STOPPED,
    find: async () => undefined,
    listByMessage: async () => [],
    listChunks: async () => [],
    begin: async () => undefined,
    transcriptText: async () => undefined,
    attributedTranscript: async () => undefined,
  };
