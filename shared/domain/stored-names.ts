/**
 * Stored names of fields, by their names in the code where the two differ. Stored names never change: during a deployment and
 * after a rollback, workers of one version read what the other wrote.
 */
export type StoredNames = {
  readonly [name: string]: string | readonly [stored: string, fields: StoredNames];
};

const INTERACTION: StoredNames = {
  ownThread: 'own',
  responseToken: 'ticket',
  triggerId: 'trigger',
  tokenExpiresAtMs: 'until',
  receivedAt: 'at',
  payload: 'call',
};

/** The fields of queue messages, by kind of task. */
const TASKS: Readonly<Record<string, StoredNames>> = {
  redo: { clickedAt: 'pressedAt', interactionToken: 'ticket', change: ['how', { editedMessage: 'of' }] },
  video: { jobId: 'job' },
  invoked: { interaction: ['invocation', INTERACTION] },
  export: { scope: 'of', interaction: ['wanted', INTERACTION], cursor: 'from', waitCount: 'waits' },
  erase: { scope: 'of', interaction: ['tell', INTERACTION], cursor: 'from', waitCount: 'waits' },
  hear: {
    requestedAt: 'at',
    doneChunks: 'heard',
    request: [
      'wish',
      {
        explainOptOut: 'first',
        wasQueued: 'again',
        nextChunk: 'from',
        speechMessage: 'spokenAt',
        interaction: ['invocation', INTERACTION],
      },
    ],
  },
};

/** Serializes a task for its queue, under the stored names. The fields keep their order. */
export const serializeTask = (task: { readonly kind: string; readonly [field: string]: unknown }): string =>
  JSON.stringify(toStoredNames(task, TASKS[task.kind] ?? {}));

/** Returns a queue message, parsed from JSON and not validated yet, under the names of the code. */
export function restoreNames(message: unknown): unknown {
  const kind = isRecord(message) ? message['kind'] : undefined;
  const names = typeof kind === 'string' && Object.hasOwn(TASKS, kind) ? TASKS[kind] : undefined;
  return fromStoredNames(message, names ?? {});
}

/** Returns the value, or each value of a list, with its stored names; the value itself if all are the same. The fields keep their order. */
export function toStoredNames(value: unknown, names: StoredNames): unknown {
  if (Object.keys(names).length === 0) return value;
  if (Array.isArray(value)) return value.map((one: unknown) => toStoredNames(one, names));
  if (!isRecord(value)) return value;
  const renamed = Object.entries(value).map(([name, field]): [string, unknown] => {
    const target = Object.hasOwn(names, name) ? names[name] : undefined;
    if (target === undefined) return [name, field];
    return typeof target === 'string' ? [target, field] : [target[0], toStoredNames(field, target[1])];
  });
  return Object.fromEntries(renamed);
}

/** Returns a stored value, not validated yet, with the names of the code. */
export const fromStoredNames = (value: unknown, names: StoredNames): unknown =>
  toStoredNames(value, getInverse(names));

/** The inverses of the tables, each made once. */
const inverses = new WeakMap<StoredNames, StoredNames>();

function getInverse(names: StoredNames): StoredNames {
  const inverse = inverses.get(names) ?? invertNames(names);
  inverses.set(names, inverse);
  return inverse;
}

function invertNames(names: StoredNames): StoredNames {
  const inverted = Object.entries(names).map(([name, stored]): [string, StoredNames[string]] =>
    typeof stored === 'string' ? [stored, name] : [stored[0], [name, invertNames(stored[1])]],
  );
  return Object.fromEntries(inverted);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
