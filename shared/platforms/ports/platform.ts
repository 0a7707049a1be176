import type { AnswerPublisher } from './answer-publisher.ts';
import type { CanvasPublisher } from './canvases.ts';
import type { CardMessenger } from './card-messenger.ts';
import type { LocaleFinder } from './directory.ts';
import type { MessageSearcher } from './message-search.ts';
import type { FileDownloader } from './file-downloader.ts';
import type { InteractionResponder } from './interaction-responder.ts';
import type { ThreadReader } from './thread-reader.ts';

/** The adapter for answers, and for what they are made of. Callers name the port that they need. */
export type Platform = AnswerPublisher & ThreadReader & MessageSearcher & FileDownloader & LocaleFinder;

/** The adapter for everything beside answers. */
export type Messenger = CardMessenger & CanvasPublisher & InteractionResponder;
