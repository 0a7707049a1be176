import type { App } from '@slack/bolt';
import type { ListenerDeps } from './accept.ts';
import { registerActions } from './actions.ts';
import { registerCommands } from './commands.ts';
import { registerEvents } from './events.ts';
import { registerOptions } from './options.ts';
import { registerShortcuts } from './shortcuts.ts';
import { registerViews } from './views.ts';

/** Adds all listeners of the front to its Bolt app. */
export function registerListeners(app: App, deps: ListenerDeps): void {
  registerEvents(app, deps);
  registerActions(app, deps);
  registerCommands(app, deps);
  registerShortcuts(app, deps);
  registerViews(app, deps);
  registerOptions(app);
}
