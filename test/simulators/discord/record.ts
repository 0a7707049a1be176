import { dispatchesOf } from './dispatch.ts';
import { applyChange, type Change } from './state.ts';
import type { SimulatorContext } from './context.ts';

/** Applies a change and notifies listeners: first the page and the file, then the gateway. */
export function record(context: SimulatorContext, change: Change): void {
  const dispatches = dispatchesOf(context, change, () => applyChange(context.state, change));
  for (const listener of context.onChange) listener(change);
  for (const dispatch of dispatches) for (const listener of context.onDispatch) listener(dispatch);
}
