export { createSlackFront, createSlackFrontDeps } from './slack-front.ts';
export { createInstallDeps, createSlackInstall } from './slack-install.ts';
