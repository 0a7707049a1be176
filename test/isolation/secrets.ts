/** The secrets that the deployment and the platforms share in a simulated world. */
export const SIGNING_SECRET = 'signing-secret-of-the-simulation';
export const CLIENT_SECRET = 'client-secret-of-the-simulation';
export const DEPLOYMENT_KEY = 'key-of-the-deployment-0001';
