export {
  type Container,
  type MediaEvent,
  type Length,
  MediaError,
  REFUSALS,
  type IncompleteReason,
  type Piece,
  type Refusal,
  type Spoken,
  type SpokenAs,
} from './thread/events.ts';
export { type ListenOptions, type Media, media, type MediaConfig } from './media.ts';
