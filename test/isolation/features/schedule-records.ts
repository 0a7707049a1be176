import * as v from 'valibot';
import { parseTask } from '../../../shared/domain/index.ts';
import type { Item } from '../../fakes/dynamo-parser.ts';
import { ACTOR, type AccessChecker } from '../access-checker.ts';
import { type Actor, type Audience, isAdmin, type Reader } from '../access-model.ts';
import { EnabledTools } from './enabled-tools.ts';

/** A schedule as it was set up: by whom and where, independent of what is stored of it. */
export type ScheduleRecord = {
  readonly tenant: string;
  readonly id: string;
  readonly channel: string;
  readonly user: string;
  readonly kind: string;
  /** Whether the author administers the tenant. */
  readonly admin: boolean;
  state: 'active' | 'paused' | 'deleted' | 'forgotten' | 'uninstalled';
};

const storedSchema = v.object({
  channel: v.optional(v.string()),
  content: v.object({ kind: v.string() }),
});

const layerSchema = v.object({ values: v.object({ schedules: v.optional(v.string()) }) });

/** The runs of schedules act for the person who set them up. */
const RUN = 'scheduled run';
/** The commands and buttons that show schedules. */
const SHOWN = /^schedule(?:$| pressed)/u;

/** All schedules: who set them up, whether they may run, and who may be shown their prompts. */
export class ScheduleRecords {
  readonly records: ScheduleRecord[] = [];
  readonly #checker: AccessChecker;
  readonly #prompts = new Map<string, { readonly user: string; readonly channel: string }>();
  readonly #runs = new Map<string, ScheduleRecord>();
  readonly #presses = new WeakMap<Actor, string>();
  readonly #now: () => number;
  /** The setting `schedules` of each level. */
  readonly #allowed = new EnabledTools();

  constructor(checker: AccessChecker, now: () => number) {
    this.#checker = checker;
    this.#now = now;
  }

  /** Plants a prompt: everybody in its channel reads it when it runs, and before that its author. */
  plantPrompt({ tenant, channel }: Extract<Audience, { kind: 'conversation' }>, user: string): string {
    const marker = this.#checker.plant({ kind: 'channel', tenant, channel }, user);
    this.#prompts.set(marker, { user, channel });
    return marker;
  }

  /** Who causes a task, if it is the run of a schedule: who set it up, whoever pressed Run. */
  actorOf(body: string): Actor | undefined {
    const task = parseTask(body);
    if (task?.kind !== 'scheduled') return undefined;
    const record = this.#find(task.thread.workspace, task.scheduleId);
    if (!record) return undefined;
    const conversation = `run-${record.id}-${task.runAt}`;
    this.#runs.set(conversation, record);
    const { tenant, channel, user, kind } = record;
    const operation = kind === 'digest' ? `${RUN}: summary` : RUN;
    return { tenant, channel, conversation, user, admin: false, secret: false, operation };
  }

  /** Somebody presses a button. */
  notePress(actor: Actor, action: string): void {
    this.#presses.set(actor, action);
  }

  /** The person has everything of theirs in the tenant erased. */
  forget({ tenant, user }: Actor): void {
    for (const record of this.records)
      if (record.tenant === tenant && record.user === user) record.state = 'forgotten';
  }

  /** The app is removed from a tenant. */
  uninstall(tenant: string): void {
    for (const record of this.records) if (record.tenant === tenant) record.state = 'uninstalled';
  }

  /** Whether administrators let a person schedule in a channel: everybody, or those who administer the tenant. */
  #isAllowed(of: Pick<ScheduleRecord, 'tenant' | 'channel' | 'user' | 'admin'>): boolean {
    const now = this.#now();
    return this.#allowed.mayUse(of, 'all', now) || (of.admin && this.#allowed.mayUse(of, 'admins', now));
  }

  /** A text arrived somewhere. `races`: other operations run at the same time. */
  noteRead(text: string, reader: Reader, races: boolean): void {
    const actor = ACTOR.getStore();
    if (!actor) return;
    const run = this.#runs.get(actor.conversation);
    if (run && actor.operation.startsWith(RUN) && !races && run.state !== 'active')
      this.#checker.fail(`a schedule of ${run.user} runs that is ${run.state}`);
    if (run && actor.operation.startsWith(RUN) && !races && reader.kind === 'prompt' && !this.#isAllowed(run))
      this.#checker.fail(`a schedule of ${run.user} runs in ${run.channel}, where schedules are off`);
    if (!SHOWN.test(actor.operation)) return;
    for (const { marker } of this.#checker.contentsIn(text)) this.#checkShown(marker, reader, actor);
  }

  /** A list, or a card of a schedule: for its author, or an administrator in its channel. */
  #checkShown(marker: string, reader: Reader, { user, admin, guest = false, channel }: Actor): void {
    const prompt = this.#prompts.get(marker);
    if (!prompt) return;
    this.#checker.checks += 1;
    const isTheirs = prompt.user === user || (admin && !guest && prompt.channel === channel);
    if (reader.kind !== 'person' || reader.user !== user || !isTheirs)
      this.#checker.fail(`the schedule of ${prompt.user} in ${prompt.channel} is shown to ${user}`);
  }

  /** Notes a stored or removed item. */
  noteStored(old: Item, after: Item | undefined): void {
    this.#noteSetting(old, after);
    const stored = scheduleIn({ ...old, ...after });
    if (!stored) return;
    const { tenant, id, user, channel, kind } = stored;
    const actor = ACTOR.getStore();
    if (actor && !/^(?:uninstall|deauthorize|leave|system)/u.test(actor.operation))
      this.#checker.change({ kind: 'schedule', of: user, channel, content: kind }, `${tenant} ${id}`);
    const known = this.#find(tenant, id);
    const pressed = actor && this.#presses.get(actor);
    // A subscription has the same id again after it was erased.
    const isNew = after !== undefined && old['pk'] === undefined;
    if (known && isNew) this.records.splice(this.records.indexOf(known), 1);
    if (actor && isNew) this.#noteCreated(actor, stored);
    else if (known) known.state = stateOf(known, after, pressed ?? '');
  }

  #noteSetting(old: Item, after: Item | undefined): void {
    const { pk, sk } = after ?? old;
    const [table, , tenant = ''] = (pk?.S ?? '').split('#');
    const [kind, level = '', of = ''] = (sk?.S ?? '').split('#');
    if (table !== 'SETTINGS' || kind !== 'LEVEL') return;
    const layer: unknown = JSON.parse(after?.['layer']?.S ?? 'null');
    const value = v.is(layerSchema, layer) ? layer.values.schedules : undefined;
    this.#allowed.note(tenant, level, of, value === undefined ? undefined : [value], this.#now());
  }

  /** Nobody sets up a schedule of somebody else, or where they are not or may not. */
  #noteCreated(actor: Actor, stored: StoredSchedule): void {
    const { tenant, channel, user } = actor;
    const { id, kind } = stored;
    const admin = isAdmin(actor);
    if (kind !== 'weekly-summary' && !this.#isAllowed({ tenant, channel, user, admin }))
      this.#checker.fail(`${user} sets up a schedule in ${channel}, where schedules are off`);
    if (stored.user !== user || (stored.channel !== undefined && stored.channel !== channel))
      this.#checker.fail(`${user} in ${channel} sets up a schedule of ${stored.user} in ${stored.channel}`);
    this.records.push({ tenant, id, channel, user, kind, admin, state: 'active' });
  }

  #find(tenant: string, id: string): ScheduleRecord | undefined {
    return this.records.find((one) => one.tenant === tenant && one.id === id);
  }
}

type StoredSchedule = Omit<ScheduleRecord, 'channel' | 'state' | 'admin'> & {
  readonly channel: string | undefined;
};

/** The schedule of an item; undefined if it has none. */
function scheduleIn({ pk, sk, by, body }: Item): StoredSchedule | undefined {
  const [table, , tenant = ''] = (pk?.S ?? '').split('#');
  if (table !== 'SCHEDULE') return undefined;
  const { channel, content } = v.parse(storedSchema, JSON.parse(body?.S ?? '{}'));
  return { tenant, id: sk?.S ?? '', user: by?.S ?? '', channel, kind: content.kind };
}

/** The button says more than what is stored: Run starts a schedule once, and does not resume it. */
function stateOf(
  { state }: ScheduleRecord,
  after: Item | undefined,
  pressed: string,
): ScheduleRecord['state'] {
  if (state === 'forgotten' || state === 'uninstalled') return state;
  if (!after) return 'deleted';
  if (pressed.includes('schedule.pause')) return 'paused';
  if (pressed.includes('schedule.run')) return state;
  return after['open'] ? 'active' : 'paused';
}
