export {
  type Container,
  type MediaEvent,
  type RecordingDuration,
  MediaError,
  MEDIA_ERROR_KINDS,
  type IncompleteReason,
  type AudioChunk,
  type MediaErrorKind,
  type EncodedSpeech,
  type SpeechFormat,
} from './media-events.ts';
export { type DecodeOptions, type Media, createMedia, type MediaConfig } from './media.ts';
