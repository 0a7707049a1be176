import type { Attachment, Thread, TurnRef } from '../../domain/index.ts';

/** Fetches the files of messages. */
export interface FileDownloader {
  /**
   * Completes the metadata of a file for which the message contains only the id. Never rejects: the file is
   * returned unchanged if the platform gives no more.
   */
  resolveFile(place: Omit<Thread, 'root'>, attachment: Attachment): Promise<Attachment>;
  /** The content of a file, of at most `maxBytes`. Rejects with FileUnavailableError. */
  downloadFile(turn: TurnRef, attachment: Attachment, maxBytes: number): Promise<Uint8Array>;
}
