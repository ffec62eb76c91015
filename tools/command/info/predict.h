/*
 * Times that the performance models in use predict for this machine.
 */
#ifndef PREDICT_H
#define PREDICT_H

/* Simulates potrf, getrf and geqrf with the models in the folder `models`, in double precision from
 * main memory, and passes a line about each routine and size to print(). gpus: number of GPUs; 0:
 * only CPU cores. There must be a simulator. */
void predict(const char *models, int gpus, void (*print)(const char *line));

#endif
