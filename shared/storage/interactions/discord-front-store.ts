import type { Attachment, Modal, Thread, InteractionToken, TurnRef, UserId } from '../../domain/index.ts';
import { type JobCaller, jobId, type JobOwnership, mayChangeJob } from '../../video/jobs/index.ts';
import { type DynamoSend, within } from '../dynamodb/json-protocol.ts';
import { jobKey } from '../jobs/job-key.ts';
import { draftKey, type SettingsLocation } from '../settings/settings-keys.ts';
import { acceptTurn, type SignalResult, signalTurn } from '../turns/turn-mutations.ts';
import {
  interactionTokenItem,
  interactionTokenKey,
  type InteractionTokenPlace,
} from './interaction-token-item.ts';
import { type Key, numeral } from '../turns/turn-keys.ts';
import { type TurnKey, TurnWrites } from '../turns/turn-writes.ts';
import type { TurnSignal } from '../turns/pending-questions.ts';

export type DiscordFrontStoreConfig = {
  readonly send: DynamoSend;
  readonly table: string;
  /** How long a turn is kept. */
  readonly days: number;
  readonly now: () => number;
};

/** What a person pointed at, kept while they say what they want of it. */
export type FormNote = { readonly text: string; readonly attachments: readonly Attachment[] };

/** What the form of a video that there is already begins with. */
export type DraftedVideo = {
  readonly state: string;
  readonly prompt: string;
  readonly model: string;
  readonly price?: string | undefined;
};

/** How long a form may stand open, in seconds: as long as Discord takes it back. */
const NOTE_SECONDS = 3_600;

/** What a front that has to start fast writes down: turns, marks and tickets, without a validator for reading them. */
export class DiscordFrontStore {
  readonly #config: DiscordFrontStoreConfig;
  readonly #writes: TurnWrites;

  constructor(config: DiscordFrontStoreConfig) {
    const { send } = config;
    this.#config = config;
    this.#writes = new TurnWrites({
      ...config,
      dynamo: {
        put: async (input) => void (await send('PutItem', input)),
        update: async (input) => {
          const receipt = textIn(
            within(within(await send('UpdateItem', input), 'Attributes'), 'receipt'),
            'S',
          );
          return { Attributes: receipt ? { receipt: { S: receipt } } : {} };
        },
      },
    });
  }

  /**
   * Writes down that a call is to be answered. Repeated for the same call, it changes nothing. Its question stays out of
   * the record, so that it is not answered along with others: it has a place of its own that waits for an answer.
   */
  accept(ref: TurnRef): Promise<void> {
    return acceptTurn(this.#writes, ref, undefined);
  }

  /** What happened to a turn that has not ended: it was stopped, or is not to be answered after all. */
  mark(turn: TurnKey, mark: TurnSignal): Promise<SignalResult | undefined> {
    return signalTurn(this.#writes, turn, mark);
  }

  /** Keeps the ticket to answer a turn with, in place of an older one; given `to`, to tell that person something. */
  async keepTicket(
    thread: Thread,
    message: InteractionTokenPlace[1],
    ticket: InteractionToken,
    to?: UserId,
  ): Promise<void> {
    const Item = interactionTokenItem(interactionTokenKey(thread, message, to), ticket);
    await this.#config.send('PutItem', { TableName: this.#config.table, Item });
  }

  /** Keeps what `by` pointed at in this call, for them alone. */
  async keepNote(id: string, by: UserId, note: FormNote): Promise<void> {
    const { send, table } = this.#config;
    const ttl = numeral(this.#writes.seconds() + NOTE_SECONDS);
    const Item = { ...noteKey(id, by), note: { S: JSON.stringify(note) }, ttl };
    await send('PutItem', { TableName: table, Item });
  }

  /** The note, or undefined once it is forgotten. */
  async note(id: string, by: UserId): Promise<FormNote | undefined> {
    const { send, table } = this.#config;
    return readNote(await send('GetItem', { TableName: table, Key: noteKey(id, by) }));
  }

  /** A job by the id that a button carries; undefined where there is none, or none that `caller` may change. */
  async draftedVideo(id: string, caller: JobCaller): Promise<DraftedVideo | undefined> {
    const { send, table } = this.#config;
    const known = jobId(id);
    const found = known && within(await send('GetItem', { TableName: table, Key: jobKey(known) }), 'Item');
    const body = textIn(within(found, 'body'), 'S');
    const job: unknown = body && JSON.parse(body);
    if (!isOwned(job) || !mayChangeJob(job, caller)) return undefined;
    const [state, prompt, model, price] = ['state', 'prompt', 'model', 'price'].map((key) =>
      textIn(job, key),
    );
    return state && prompt && model ? { state, prompt, model, price } : undefined;
  }

  /** A page of the form by which a person changes a draft of theirs; undefined where there is none. */
  async draftedForm(of: SettingsLocation, id: string, page: number): Promise<Modal | undefined> {
    const { send, table: TableName, now } = this.#config;
    const item = within(await send('GetItem', { TableName, Key: draftKey(of, id) }), 'Item');
    const forms: unknown = JSON.parse(textIn(within(item, 'forms'), 'S') ?? '[]');
    const form = within(forms, String(page));
    const alive = Number(textIn(within(item, 'ttl'), 'N')) > now() / 1_000;
    return alive && textIn(within(item, 'by'), 'S') === of.user && isForm(form) ? form : undefined;
  }
}

/** Whether it says whose it is. */
const isOwned = (job: unknown): job is JobOwnership =>
  within(job, 'by') instanceof Object && within(job, 'thread') instanceof Object;

/** Written by a worker, which drew it. */
const isForm = (form: unknown): form is Modal => Array.isArray(within(form, 'fields'));

/** What a front kept of a call, under its id and who made it: a form that names somebody else's call finds nothing. */
export const noteKey = (id: string, by: UserId): Key => ({
  pk: { S: `note#${id}` },
  sk: { S: `NOTE#${by}` },
});

function readNote(answer: unknown): FormNote | undefined {
  const text = ['Item', 'note', 'S'].reduce(within, answer);
  if (typeof text !== 'string') return undefined;
  const note: unknown = JSON.parse(text);
  const [words, files] = [within(note, 'text'), within(note, 'attachments')];
  return typeof words === 'string' && Array.isArray(files)
    ? { text: words, attachments: files.flatMap(readAttachment) }
    : undefined;
}

function readAttachment(of: unknown): Attachment[] {
  const [id, name, mimetype, bytes] = ['id', 'name', 'mimetype', 'bytes'].map((key) => within(of, key));
  const whole = typeof id === 'string' && typeof name === 'string' && typeof mimetype === 'string';
  return whole && typeof bytes === 'number' ? [{ id, name, mimetype, bytes }] : [];
}

function textIn(of: unknown, key: string): string | undefined {
  const value = within(of, key);
  return typeof value === 'string' ? value : undefined;
}
