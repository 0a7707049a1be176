import { runPackage } from '../run-package.ts';

/** `npm run conformance:clients`. */
runPackage(import.meta.dirname);
