/** A hash of profile B, of a random password. */
export const formerDummyHash =
  '$argon2id$v=19$m=65536,t=3,p=1$KkR7KakTVCrO3IiZ2fqtQA$Jop8OBzEMuFNE8c5mJVIlXalSAPK6jt2qurZwXrRJig'
