export { startSlackSimulator, type SlackSimulator, type SlackSimulatorOptions } from './server.ts';
export { createWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts';
export { directCall } from './direct.ts';
export { createManualClock, type ManualClock } from './manual-clock.ts';
export { sign, slackJson } from './delivery.ts';
export type { Fault } from './faults.ts';
export type { SeenCall } from './api.ts';
export type { Change, Message } from './state.ts';
export type { Answer, Envelope } from './world.ts';
