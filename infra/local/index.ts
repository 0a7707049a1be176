export { listFaults } from './faults/local-faults.ts';
export { StartupError } from './startup-error.ts';
export { type LocalSystem, startLocal } from './system.ts';
