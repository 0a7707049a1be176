import type { Slots } from '../../shared/worker/index.ts';

const granted = { kind: 'granted', slot: { key: 'key' } } as const;

/** Slots to spare. */
export const FREE_SLOTS: Slots = {
  take: () => Promise.resolve(granted),
  takeFree: () => Promise.resolve(granted.slot),
  find: () => Promise.resolve(undefined),
  withdraw: () => Promise.resolve(),
  poll: () => Promise.resolve(granted),
  leave: () => Promise.resolve(),
  release: () => Promise.resolve(),
  heard: () => Promise.resolve(),
};
