import * as z from 'zod/mini';
import type { UpstreamCore } from './core.ts';
import type { Entry } from './journal.ts';
import type { Key } from './keys.ts';
import type { Model } from './models.ts';
import { settings, settingsChange } from './settings.ts';
import type { Settings, SettingsChange } from './settings.ts';
import type { Metered } from './state.ts';
import type { Fault, FaultRule } from './stream/faults.ts';

const modelChange = z.partial(
  z.strictObject({
    ready: z.boolean(),
    features: z.array(z.string()),
    sampling: z.array(z.string()),
    input: z.array(z.string()),
    context: z.int(),
    maxOutput: z.int(),
    budget: z.int(),
    maxImages: z.int(),
    jsonObject: z.boolean(),
  }),
);
export type ModelChange = z.infer<typeof modelChange>;

const keyChange = z.strictObject({
  key: z.string().check(z.minLength(1)),
  user: z._default(z.string(), 'local'),
  status: z._default(z.enum(['active', 'revoked']), 'active'),
  models: z.optional(z.array(z.string())),
});
export type KeyChange = z.input<typeof keyChange>;

/** What a test, or a person at `/__sim`, may do to the simulator. */
export type Control = {
  /** Sets a fault; answers the name to take it away by. */
  addFault(rule: FaultRule): string;
  /** The next `times` chat completions fail so. */
  fail(fault: Fault, times?: number): string;
  removeFault(name: string): boolean;
  faults(): ReturnType<UpstreamCore['state']['rules']['list']>;
  clearFaults(): void;
  setKey(key: KeyChange): Key;
  setModel(id: string, change: ModelChange): Model;
  change(change: SettingsChange): Settings;
  settings(): Settings;
  /** Moves the simulator's clock on: buckets fill, windows roll, videos get done. */
  advance(ms: number): number;
  now(): number;
  journal(): readonly Entry[];
  clearJournal(): void;
  metered(): readonly Metered[];
};

export function createControl(core: () => UpstreamCore): Control {
  const state = () => core().state;
  const addFault = (rule: FaultRule): string => state().rules.add(rule);
  return {
    addFault,
    fail: (fault, times = 1) => addFault({ fault, times }),
    removeFault: (name) => state().rules.remove(name),
    faults: () => state().rules.list(),
    clearFaults: () => state().rules.clear(),
    setKey(change) {
      const key = keyChange.parse(change);
      state().keys.set(key.key, key);
      return key;
    },
    setModel(id, change) {
      const known = state().models.get(id);
      if (known === undefined) throw new RangeError(`There is no model ${id}.`);
      const changed: Model = Object.assign({ ...known }, modelChange.parse(change));
      state().models.set(id, changed);
      return changed;
    },
    change(change) {
      const wanted = settingsChange.parse(change);
      state().settings = settings.parse({ ...state().settings, ...wanted });
      return state().settings;
    },
    settings: () => state().settings,
    advance(ms) {
      state().advance(ms);
      return state().now();
    },
    now: () => state().now(),
    journal: () => state().journal.entries,
    clearJournal: () => state().journal.clear(),
    metered: () => state().metered,
  };
}
