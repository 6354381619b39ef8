/** A hash of profile A, of a random password that nobody knows. */
export const formerDummyHash = '$2y$12$TS1DrhRptJrU2XUtpORLJuaeEsLeMxnGQjLYUGiMZ7mPmu6KliGjy'
