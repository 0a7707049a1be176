import type { Slots } from '../../shared/flows/index.ts';

/** Slots to spare. */
export const FREE_SLOTS: Slots = {
  take: () => Promise.resolve({ granted: true, waitMs: 0, ahead: 0, slot: { key: 'key', putOffUs: 0 } }),
  takeFree: () => Promise.resolve({ key: 'key', putOffUs: 0 }),
  due: (slot) => Promise.resolve({ waitMs: 0, slot }),
  release: () => Promise.resolve(),
  heard: () => Promise.resolve(),
};
