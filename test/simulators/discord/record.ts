import { dispatchesOf } from './dispatch.ts';
import { applyChange, type Change } from './state.ts';
import type { World } from './world.ts';

/** Makes a change happen and tells those who listen: first the page and the file, then the gateway. */
export function record(world: World, change: Change): void {
  const dispatches = dispatchesOf(world, change, () => applyChange(world.state, change));
  for (const listener of world.onChange) listener(change);
  for (const dispatch of dispatches) for (const listener of world.onDispatch) listener(dispatch);
}
