import type { MessageId, Thread, UserId } from '../../domain/index.ts';
import { FileUnavailableError } from './files.ts';

/** A document that people open beside a chat, such as a Slack canvas. */
export type Canvas = { readonly id: string; readonly url: string };

/** Who can open a canvas: everybody in the channel of its thread, or only the person who asked for it. */
export type CanvasReaders = 'channel' | 'asker';

/** Creates canvases, fills them, and shares them. `CardMessenger.removeCard` deletes that of a message. */
export interface CanvasPublisher {
  /** Whether canvases can be made there, as far as is known without a request. */
  hasCanvases(place: Pick<Thread, 'platform' | 'workspace'>): boolean;
  /** Creates an empty canvas that nobody else can open, once for each `key`. Rejects with FileUnavailableError where there are none. */
  createCanvas(thread: Thread, title: string, key: string): Promise<Canvas>;
  /**
   * Makes `markdown` the content of the canvas and shares it, to be read. `message` of the thread links to the canvas, and is removed with
   * it. Safe to repeat. Rejects with FileUnavailableError where the platform does not accept the content.
   */
  publishCanvas(
    thread: Thread,
    canvas: Canvas,
    of: { readonly markdown: string; readonly message: MessageId; readonly asker: UserId },
  ): Promise<CanvasReaders>;
}

const none = (): Promise<never> => Promise.reject(new FileUnavailableError(['files.canvas.off']));

/** For platforms without canvases. */
export const noCanvases: CanvasPublisher = {
  hasCanvases: () => false,
  createCanvas: none,
  publishCanvas: none,
};
