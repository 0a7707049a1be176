export {
  autoTranscribe,
  type AutoTranscribeContext,
  enqueueForget,
  enqueueTranscription,
  noRecordingTracking,
} from './auto-transcribe.ts';
export { beginsWithMessage, parseRecordingPlace } from './cards.ts';
export { TRANSCRIBE_MENU_COMMAND, VOICE_COMMAND, VOICE_OPT_OUT } from './command-names.ts';
export type { VoiceContext } from './ports.ts';
export { requestTranscription, type TranscriptionRequestResult } from './request-transcription.ts';
export { createVoiceTools } from './tools.ts';
export { handleTranscriptionDeadLetter } from './transcription/handle-dead-letter.ts';
export { createTranscriptFiles, uploadFiles } from './files.ts';
export { trackTranscriptMessages } from './transcription/forget.ts';
export { stoppingCard } from './transcription/progress-cards.ts';
export { getStatusText } from './transcription/status.ts';
export { STOPPED } from './transcription/stop.ts';
export { recordingCardKey } from './transcription/task-fields.ts';
export { runTranscriptionTask } from './transcription/transcribe-task.ts';
