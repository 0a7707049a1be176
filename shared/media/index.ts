export {
  type Container,
  type Heard,
  type Length,
  MediaError,
  REFUSALS,
  type Partial_,
  type Piece,
  type Refusal,
  type Spoken,
  type SpokenAs,
} from './events.ts';
export { type ListenOptions, type Media, media, type MediaConfig } from './media.ts';
