import type { Card, Interaction, Modal, Thread } from '../../domain/index.ts';
import type { Upload } from './files.ts';

/** Responds to a person who used a command, button, menu or modal. */
export interface InteractionResponder {
  /** Responds while the token is valid: ephemerally, unless `isVisibleToAll`. Rejects with ReplyRefusedError where a retry cannot help. */
  respond(interaction: Interaction, card: Card, isVisibleToAll?: boolean): Promise<void>;
  /**
   * Shows that work on an interaction continues ("is translating…") until an empty text ends it, unless the platform shows that
   * itself. `isAnswering`: the status of an answer in the thread stays. Never rejects.
   */
  showWorking(thread: Thread, text: string, isAnswering?: boolean): Promise<void>;
  /** Sends a file that only they see. The same key again may send it twice. Rejects with FileUnavailableError. */
  sendFilePrivately(interaction: Interaction, file: Upload, key: string): Promise<void>;
  /** Opens a modal: once, within 3 s of the interaction and before any response. Rejects when it is too late. */
  openModal(interaction: Interaction, form: Modal): Promise<void>;
  /** By command name, the markup that people can press; empty where there is none. Never rejects. */
  commandMentions(place: Pick<Interaction, 'platform' | 'workspace'>): Promise<ReadonlyMap<string, string>>;
}
