/** What was started and must be stopped again, in the order it was started. */
export type Cleanup = (() => Promise<void> | void | undefined)[];

/** Stops everything, what was started last first. A step that fails does not keep the others from running. */
export async function unwind(undo: Cleanup): Promise<void> {
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
