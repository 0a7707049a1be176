import { checkQueueIds } from './queue-ids.ts';
import type {
  Card,
  Modal,
  Interaction,
  MessageId,
  Thread,
  TurnRef,
  UserId,
} from '../../shared/domain/index.ts';
import { messageId } from '../../shared/domain/index.ts';
import type {
  Canvas,
  CanvasReaders,
  Messenger,
  ThreadOrigin,
  Upload,
} from '../../shared/platforms/ports/index.ts';

/** A stage that keeps what is put on it. What `refuse` holds is thrown by the method of that name. */
export class FakeMessenger implements Messenger {
  readonly cards = new Map<string, Card>();
  readonly answers: { readonly interaction: Interaction; readonly card: Card; readonly openly: boolean }[] =
    [];
  readonly forms: { readonly interaction: Interaction; readonly form: Modal }[] = [];
  readonly removed: MessageId[] = [];
  readonly uploads: Upload[] = [];
  readonly handed: { readonly interaction: Interaction; readonly file: Upload; readonly text: string }[] = [];
  readonly directMessages: { readonly user: UserId; readonly card: Card; readonly key?: string }[] = [];
  /** By key: the canvases with their content; empty until they are published. */
  readonly canvases = new Map<string, { readonly title: string; content: string }>();
  /** The workspace has canvases. */
  canvasReaders: CanvasReaders | undefined;
  readonly refuse: { [Method in keyof Messenger]?: Error } = {};

  canPost(): boolean {
    return this.refuse.canPost === undefined;
  }

  postCard(_: Thread, card: Card, key: string, existing?: MessageId): Promise<MessageId> {
    if (this.refuse.postCard) return Promise.reject(this.refuse.postCard);
    this.cards.set(key, card);
    return Promise.resolve(existing ?? messageId(`card-${key}`));
  }

  removeCard(_: Thread, existing: MessageId): Promise<void> {
    if (this.refuse.removeCard) return Promise.reject(this.refuse.removeCard);
    this.removed.push(existing);
    return Promise.resolve();
  }

  respond(interaction: Interaction, card: Card, openly = false): Promise<void> {
    if (this.refuse.respond) return Promise.reject(this.refuse.respond);
    this.answers.push({ interaction, card, openly });
    return Promise.resolve();
  }

  async sendFilePrivately(interaction: Interaction, file: Upload): Promise<void> {
    if (this.refuse.sendFilePrivately) throw this.refuse.sendFilePrivately;
    const chunks: Uint8Array[] = [];
    for await (const chunk of file.content) chunks.push(chunk);
    this.handed.push({ interaction, file, text: Buffer.concat(chunks).toString() });
  }

  sendDirectMessage(_: unknown, user: UserId, card: Card, key?: string): Promise<void> {
    if (this.refuse.sendDirectMessage) return Promise.reject(this.refuse.sendDirectMessage);
    if (key !== undefined && this.directMessages.some((one) => one.key === key)) return Promise.resolve();
    this.directMessages.push({ user, card, ...(key !== undefined && { key }) });
    return Promise.resolve();
  }

  openModal(interaction: Interaction, form: Modal): Promise<void> {
    if (this.refuse.openModal) return Promise.reject(this.refuse.openModal);
    this.forms.push({ interaction, form });
    return Promise.resolve();
  }

  startThread({ platform, workspace, channel, id, by }: ThreadOrigin, card: Card): Promise<TurnRef> {
    if (this.refuse.startThread) return Promise.reject(this.refuse.startThread);
    if (!channel) return Promise.reject(new Error('a call without a channel'));
    this.cards.set(id, card);
    const message = messageId(`begun-${id}`);
    const thread = { platform, workspace, channel, root: message };
    return Promise.resolve({ thread, message, asker: by.user, askerWorkspace: by.workspace });
  }

  getPermalink({ channel }: Thread, message: MessageId): Promise<string | undefined> {
    if (this.refuse.getPermalink) return Promise.reject(this.refuse.getPermalink);
    return Promise.resolve(`https://example.com/${channel}/${message}`);
  }

  upload(_: Thread, file: Upload, key: string): Promise<MessageId> {
    if (this.refuse.upload) return Promise.reject(this.refuse.upload);
    this.uploads.push(file);
    return Promise.resolve(messageId(`upload-${key}`));
  }

  hasCanvases(): boolean {
    return this.canvasReaders !== undefined;
  }

  createCanvas(_: Thread, title: string, key: string): Promise<Canvas> {
    if (this.refuse.createCanvas) return Promise.reject(this.refuse.createCanvas);
    if (!this.canvases.has(key)) this.canvases.set(key, { title, content: '' });
    return Promise.resolve({ id: key, url: `https://example.com/docs/${this.canvases.size}` });
  }

  publishCanvas(...[, { id }, { markdown }]: Parameters<Messenger['publishCanvas']>): Promise<CanvasReaders> {
    if (this.refuse.publishCanvas) return Promise.reject(this.refuse.publishCanvas);
    const canvas = this.canvases.get(id);
    if (canvas) canvas.content = markdown;
    return Promise.resolve(this.canvasReaders ?? 'channel');
  }

  showWorking(): Promise<void> {
    return Promise.resolve();
  }

  commandMentions(): Promise<ReadonlyMap<string, string>> {
    return Promise.resolve(new Map());
  }

  findUploads(): Promise<MessageId[]> {
    return Promise.resolve([]);
  }
}

/** A queue that keeps what is put on it. */
export class FakeQueue {
  readonly sent: { readonly body: string; readonly group: string; readonly dedup: string }[] = [];
  async send(body: string, group: string, dedup: string): Promise<void> {
    checkQueueIds(group, dedup);
    this.sent.push({ body, group, dedup });
  }
}
