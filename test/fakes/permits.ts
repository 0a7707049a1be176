import type { RequestPermits } from '../../shared/ports/index.ts';

const granted = { kind: 'granted', permit: { key: 'key' } } as const;

/** Permits to spare. */
export const UNLIMITED_PERMITS: RequestPermits = {
  take: () => Promise.resolve(granted),
  takeFree: () => Promise.resolve(granted.permit),
  find: () => Promise.resolve(undefined),
  leaveById: () => Promise.resolve(),
  poll: () => Promise.resolve(granted),
  leave: () => Promise.resolve(),
  release: () => Promise.resolve(),
  report: () => Promise.resolve(),
};
