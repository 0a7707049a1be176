/** Functions that stop what was started, in start order. */
export type Cleanup = (() => Promise<void> | void | undefined)[];

/** Stops everything in reverse order. A failing step does not prevent the others. */
export async function runCleanup(undo: Cleanup): Promise<void> {
  const failures: unknown[] = [];
  for (const step of undo.splice(0).toReversed()) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Not everything could be stopped in order');
}
