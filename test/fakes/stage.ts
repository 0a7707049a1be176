import type {
  Card,
  Form,
  Invocation,
  MessageId,
  Thread,
  TurnRef,
  UserId,
} from '../../shared/conversation/index.ts';
import { messageId } from '../../shared/conversation/index.ts';
import type { Stage, Upload } from '../../shared/platforms/platform.ts';

/** A stage that keeps what is put on it. What `refuse` holds is thrown by the method of that name. */
export class KeptStage implements Stage {
  readonly cards = new Map<string, Card>();
  readonly answers: { readonly invocation: Invocation; readonly card: Card; readonly openly: boolean }[] = [];
  readonly forms: { readonly invocation: Invocation; readonly form: Form }[] = [];
  readonly removed: MessageId[] = [];
  readonly uploads: Upload[] = [];
  readonly handed: { readonly invocation: Invocation; readonly file: Upload; readonly text: string }[] = [];
  readonly told: { readonly user: UserId; readonly card: Card }[] = [];
  readonly refuse: { [Method in keyof Stage]?: Error } = {};

  card(_: Thread, card: Card, key: string, existing?: MessageId): Promise<MessageId> {
    if (this.refuse.card) return Promise.reject(this.refuse.card);
    this.cards.set(key, card);
    return Promise.resolve(existing ?? messageId(`card-${key}`));
  }

  removeCard(_: Thread, existing: MessageId): Promise<void> {
    if (this.refuse.removeCard) return Promise.reject(this.refuse.removeCard);
    this.removed.push(existing);
    return Promise.resolve();
  }

  respond(invocation: Invocation, card: Card, openly = false): Promise<void> {
    if (this.refuse.respond) return Promise.reject(this.refuse.respond);
    this.answers.push({ invocation, card, openly });
    return Promise.resolve();
  }

  async hand(invocation: Invocation, file: Upload): Promise<void> {
    if (this.refuse.hand) throw this.refuse.hand;
    const chunks: Uint8Array[] = [];
    for await (const chunk of file.content) chunks.push(chunk);
    this.handed.push({ invocation, file, text: Buffer.concat(chunks).toString() });
  }

  tell(_: unknown, user: UserId, card: Card): Promise<void> {
    if (this.refuse.tell) return Promise.reject(this.refuse.tell);
    this.told.push({ user, card });
    return Promise.resolve();
  }

  open(invocation: Invocation, form: Form): Promise<void> {
    if (this.refuse.open) return Promise.reject(this.refuse.open);
    this.forms.push({ invocation, form });
    return Promise.resolve();
  }

  begin({ platform, workspace, channel, id, by }: Invocation, card: Card): Promise<TurnRef> {
    if (this.refuse.begin) return Promise.reject(this.refuse.begin);
    if (!channel) return Promise.reject(new Error('a call without a channel'));
    this.cards.set(id, card);
    const message = messageId(`begun-${id}`);
    const thread = { platform, workspace, channel, root: message };
    return Promise.resolve({ thread, message, asker: by.user, askerWorkspace: by.workspace });
  }

  link({ channel }: Thread, message: MessageId): Promise<string> {
    if (this.refuse.link) return Promise.reject(this.refuse.link);
    return Promise.resolve(`https://example.com/${channel}/${message}`);
  }

  upload(_: Thread, file: Upload, key: string): Promise<MessageId> {
    if (this.refuse.upload) return Promise.reject(this.refuse.upload);
    this.uploads.push(file);
    return Promise.resolve(messageId(`upload-${key}`));
  }

  uploaded(): Promise<MessageId[]> {
    return Promise.resolve([]);
  }
}

/** A queue that keeps what is put on it. */
export class KeptQueue {
  readonly sent: { readonly body: string; readonly group: string; readonly dedup: string }[] = [];
  send(body: string, group: string, dedup: string): Promise<void> {
    this.sent.push({ body, group, dedup });
    return Promise.resolve();
  }
}
