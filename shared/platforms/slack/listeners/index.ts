import type { App } from '@slack/bolt';
import type { ListenerDeps } from './accept.ts';
import { registerActions } from './actions.ts';
import { registerCommands } from './commands.ts';
import { registerEvents } from './events.ts';
import { registerOptions } from './options.ts';
import { registerShortcuts } from './shortcuts.ts';
import { registerViews } from './views.ts';

/** The methods of a Bolt app that register listeners. */
export type ListenerRegistry = Pick<App, 'event' | 'action' | 'command' | 'shortcut' | 'view' | 'options'>;

/** Adds all listeners of the front to its Bolt app. */
export function registerListeners(app: ListenerRegistry, deps: ListenerDeps): void {
  registerEvents(app, deps);
  registerActions(app, deps);
  registerCommands(app, deps);
  registerShortcuts(app, deps);
  registerViews(app, deps);
  registerOptions(app);
}
