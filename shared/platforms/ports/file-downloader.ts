import type { Attachment, Thread, TurnRef } from '../../domain/index.ts';

/** Fetches the files of messages. */
export interface FileDownloader {
  /**
   * Completes the metadata of a file for which the message contains only the id. Never rejects: the file is
   * returned unchanged if the platform gives no more.
   */
  resolveFile(place: Omit<Thread, 'root'>, attachment: Attachment): Promise<Attachment>;
  /**
   * The files of the turn's message, for events that may not list them (`IncomingMessage.mayHaveFiles`). None where events always do; undefined if
   * they cannot be read. `withThread`: the messages before it may be read too, and a platform may request both at once; its response may then be two
   * minutes old. Never rejects.
   */
  listFiles(turn: TurnRef, withThread?: boolean): Promise<readonly Attachment[] | undefined>;
  /** The content of a file, of at most `maxBytes`. Rejects with FileUnavailableError. */
  downloadFile(turn: TurnRef, attachment: Attachment, maxBytes: number): Promise<Uint8Array>;
}
